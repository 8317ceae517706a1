"""The application and its main window: menus, navigation, session, inspector."""
