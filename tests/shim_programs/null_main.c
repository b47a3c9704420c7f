int main(int count, char **arguments)
{
    (void)arguments;
    return *(volatile int *)(long)(count - 1);
}
