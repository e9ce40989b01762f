"""What lies on disk: case files, reports and scripts; written whole and read with care."""
