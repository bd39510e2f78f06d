// Runs functions with all registers set, and compares what they leave with what they left first:
// registers, flags, vector registers, the stack around them, their data, and signals. Functions and
// their data are in an assembly file that Benchmarks/probe_instructions.py makes.
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

extern const struct named {
  const char *name;
  void *function;
} functions[];
extern unsigned char word2[8], area[512];

enum { STACK = 65536, MOST = 1024 };

struct result {
  unsigned char registers[144], vectors[512], stack[512], bytes[64], word[8], area[256];
  long signal, at, address;
};

// Enters `target` on a stack of its own; the functions jump to `capture`.
__asm__(
    ".text\n.globl run\nrun: push %rbx\n push %rbp\n push %r12\n push %r13\n push %r14\n"
    " push %r15\n mov %rsp, saved(%rip)\n mov top(%rip), %rsp\n mov %rdi, target(%rip)\n"
    " vmovdqu64 vectors(%rip), %zmm3\n vmovdqu64 vectors(%rip), %zmm6\n"
    " vmovdqu64 vectors+8(%rip), %zmm7\n vmovdqu64 vectors+16(%rip), %zmm14\n"
    " vmovdqu64 vectors+24(%rip), %zmm15\n vmovdqu64 vectors+32(%rip), %zmm22\n"
    " vmovdqu64 vectors(%rip), %zmm30\n vmovdqu64 vectors(%rip), %zmm31\n"
    " kxorq %k1, %k1, %k1\n kxorq %k2, %k2, %k2\n push $0x246\n popfq\n mov $5, %ecx\n"
    " lea bytes(%rip), %rdi\n lea bytes2(%rip), %rsi\n mov $0x11, %eax\n lea bytes(%rip), %rbx\n"
    " mov $0x1010, %ebp\n mov $8, %r8d\n mov $9, %r9d\n mov $10, %r10d\n mov $11, %r11d\n"
    " mov $12, %r12d\n mov $13, %r13d\n mov $14, %r14d\n mov $15, %r15d\n xor %edx, %edx\n"
    " jmp *target(%rip)\n"
    ".globl capture\ncapture: mov %rax, left(%rip)\n mov %rcx, left+8(%rip)\n"
    " mov %rdx, left+16(%rip)\n mov %rbx, left+24(%rip)\n mov %rsp, left+32(%rip)\n"
    " mov %rbp, left+40(%rip)\n mov %rsi, left+48(%rip)\n mov %rdi, left+56(%rip)\n"
    " mov %r8, left+64(%rip)\n mov %r9, left+72(%rip)\n mov %r10, left+80(%rip)\n"
    " mov %r11, left+88(%rip)\n mov %r12, left+96(%rip)\n mov %r13, left+104(%rip)\n"
    " mov %r14, left+112(%rip)\n mov %r15, left+120(%rip)\n lea scratch+2048(%rip), %rsp\n"
    " pushfq\n popq left+128(%rip)\n cld\n vmovdqu64 %zmm6, left_vectors(%rip)\n"
    " vmovdqu64 %zmm7, left_vectors+64(%rip)\n vmovdqu64 %zmm14, left_vectors+128(%rip)\n"
    " vmovdqu64 %zmm15, left_vectors+192(%rip)\n vmovdqu64 %zmm22, left_vectors+256(%rip)\n"
    " vmovdqu64 %zmm30, left_vectors+320(%rip)\n vmovdqu64 %zmm31, left_vectors+384(%rip)\n"
    " vmovdqu64 %zmm2, left_vectors+448(%rip)\n kmovq %k2, left+136(%rip)\n"
    " mov saved(%rip), %rsp\n pop %r15\n pop %r14\n pop %r13\n pop %r12\n pop %rbp\n pop %rbx\n"
    " ret\n.data\nsaved: .quad 0\ntarget: .quad 0\nscratch: .zero 2048\n.text\n");

void run(void *function);
unsigned long top;
unsigned char left[144], left_vectors[512], bytes[1024], bytes2[1024];
long vectors[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
static char *stack;
static sigjmp_buf escape;
static struct result *current;

static void caught(int number, siginfo_t *information, void *context) {
  current->signal = number;
  current->at = ((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
  current->address = (long)information->si_addr;
  siglongjmp(escape, 1);
}

static void measure(void *function, struct result *result) {
  memset(result, 0, sizeof *result);
  memset(left, 0, sizeof left);
  memset(left_vectors, 0, sizeof left_vectors);
  memset(word2, 0, sizeof word2);
  memset(area, 0, sizeof area);
  for (int i = 0; i < 1024; i++) bytes[i] = (unsigned char)i, bytes2[i] = (unsigned char)(i * 3);
  for (int i = 0; i < STACK; i++) stack[i] = (char)(i * 7);
  top = (unsigned long)(stack + STACK / 2);
  current = result;
  if (sigsetjmp(escape, 1) == 0) run(function);
  memcpy(result->registers, left, sizeof left);
  memcpy(result->vectors, left_vectors, sizeof left_vectors);
  memcpy(result->stack, stack + STACK / 2 - 256, 512);
  memcpy(result->bytes, bytes, 64);
  memcpy(result->word, word2, 8);
  memcpy(result->area, area, 256);
}

int main(void) {
  static struct result first[MOST], later;
  stack = malloc(STACK);
  stack_t other = {.ss_sp = malloc(STACK), .ss_size = STACK};
  sigaltstack(&other, NULL);
  struct sigaction action = {.sa_sigaction = caught, .sa_flags = SA_SIGINFO | SA_ONSTACK};
  const int signals[] = {SIGILL, SIGSEGV, SIGTRAP, SIGBUS, SIGFPE};
  for (int i = 0; i < 5; i++) sigaction(signals[i], &action, NULL);
  for (int i = 0; functions[i].name != NULL; i++) measure(functions[i].function, &first[i]);
  puts("ready");
  fflush(stdout);
  for (int round; (round = getchar()) != EOF;) {
    // The kernel replaces some probes at their second hit.
    for (int i = 0; functions[i].name != NULL; i++)
      for (int hit = 0; hit < 3; hit++) {
        measure(functions[i].function, &later);
        if (memcmp(&later, &first[i], sizeof later) == 0) continue;
        printf("%s ", functions[i].name);
        break;
      }
    puts("done");
    fflush(stdout);
  }
  return 0;
}
