"""What is run by the examined Python, whatever it is: text handed to ``python -c``. Standard library, any Python 3 from 3.6 on."""
