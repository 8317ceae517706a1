"""Results of evaluations: rows, tables and charts for reports and the window."""
