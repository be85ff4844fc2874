"""What masks do, here and in other libraries."""
