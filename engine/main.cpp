// The program: one subcommand each, see commands/.
int main() { return 2; }
