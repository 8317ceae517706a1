"""What evaluations produce: rows, tables and charts for reports and window."""
