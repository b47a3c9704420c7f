"""What is run by the examined Python, whatever it is: text handed to ``python -c``. Standard library, any Python from 2.7 on."""
