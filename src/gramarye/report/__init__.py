"""What a run looks like afterwards: tables, pictures, pages."""
