/* Says how many arguments it has, and ends with a status of its own. */
#include <stdio.h>

int main(int argc, char **argv)
{
    (void)argv;
    printf("argc %d\n", argc);
    return 42;
}
