/* Point the GOT entries of the loaded objects at our wrappers, now and when more objects are loaded. */
#include "shim.h"

#include <dlfcn.h>
#include <link.h>
#include <sys/mman.h>

#if defined(__x86_64__)
#define JUMP_SLOT R_X86_64_JUMP_SLOT
#define GLOB_DAT R_X86_64_GLOB_DAT
#elif defined(__aarch64__)
#define JUMP_SLOT R_AARCH64_JUMP_SLOT
#define GLOB_DAT R_AARCH64_GLOB_DAT
#endif

static void *our_dlsym(void *handle, const char *name);
static __typeof__(dlsym) *real_dlsym;

#define PYTHON "libpython" /* … or the program itself, which has no file name */

static struct hook {
    const char *name;
    void *ours, **real;
    const char *only;  /* only in objects whose file name starts so */
    const char *never; /* not in those */
    int lazy;         /* a call not bound yet would be bound to `real` (nobody interposes) */
} hooks[] = {
#define HOOK(function) {#function, (void *)our_##function, (void **)&real_##function, "", NULL, 0}
    HOOK(write), HOOK(writev), HOOK(fwrite), HOOK(fwrite_unlocked), HOOK(fputs), HOOK(fputc),
    HOOK(putc), HOOK(_IO_putc), HOOK(fprintf), HOOK(vfprintf), HOOK(__fprintf_chk),
    HOOK(__vfprintf_chk), HOOK(perror), HOOK(sigaction), HOOK(signal),
    HOOK(prctl),
    {"dlsym", (void *)our_dlsym, (void **)&real_dlsym, "_ctypes.", NULL, 0},
    /* Java's own threads find the end of their stack by a fault that is handled on that very stack. */
    {"pthread_create", (void *)our_pthread_create, (void **)&real_pthread_create, "", "libjvm.", 0},
    /* Python counts the threads of the process when it forks. */
    {"fopen", (void *)our_fopen, (void **)&real_fopen, PYTHON, NULL, 0},
    {"fopen64", (void *)our_fopen64, (void **)&real_fopen64, PYTHON, NULL, 0},
};

/* ctypes asks for functions by name, there is no GOT entry. Only there: it always asks a handle, while
 * RTLD_NEXT and RTLD_DEFAULT depend on who is calling. */
static void *our_dlsym(void *handle, const char *name)
{
    void *found = real_dlsym(handle, name);
    for (size_t i = 0; found && i < COUNT(hooks); i++)
        if (found == *hooks[i].real && !*hooks[i].only)
            return hooks[i].ours;
    return found;
}

static pthread_mutex_t patching = PTHREAD_MUTEX_INITIALIZER; /* held also across fork */
static int ready; /* the real functions are known */
static uintptr_t page_size, lowest_real = UINTPTR_MAX, highest_real;
static struct { unsigned long long adds, subs; int objects, wanted, patched; } walk;

static const char *base_name(const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;
    return slash ? slash + 1 : path ? path : "";
}

static int is_system(const char *path) /* the C library, the dynamic linker, the kernel's vdso */
{
    static const char *const starts[] = {"libc.so", "libc-2", "libpthread", "libdl", "ld-", "ld.so", "linux-"};
    for (size_t i = 0; i < COUNT(starts); i++)
        if (strncmp(base_name(path), starts[i], strlen(starts[i])) == 0)
            return 1;
    return 0;
}

static int find_real_functions(void)
{
    void *libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
    if (!libc)
        return -ENOSYS;
    for (size_t i = 0; i < COUNT(hooks); i++) {
        Dl_info where;
        void *found = dlsym(RTLD_DEFAULT, hooks[i].name); /* where the program's calls go */
        hooks[i].lazy = found && dladdr(found, &where) && is_system(where.dli_fname);
        *hooks[i].real = hooks[i].lazy ? found : dlsym(libc, hooks[i].name);
        uintptr_t real = (uintptr_t)*hooks[i].real;
        lowest_real = real && real < lowest_real ? real : lowest_real;
        highest_real = real > highest_real ? real : highest_real;
    }
    abort_text = dlsym(libc, "__abort_msg");
    dlerror(); /* leave no message of ours for the program to find */
    return real_vfprintf && real___vfprintf_chk ? 0 : -ENOSYS;
}

static int inside(const struct dl_phdr_info *object, uintptr_t address, uint32_t flag)
{
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        if (part->p_type == PT_LOAD && (part->p_flags & flag) &&
            address - (object->dlpi_addr + part->p_vaddr) < part->p_memsz)
            return 1;
    }
    return 0;
}

/* Which of our functions an entry should lead to: it leads to the real one, or it is this object's own
 * stub of a call that is not bound yet. Anything else is left alone: a stranger's interposer, or ours. */
static const struct hook *hook_for(const struct dl_phdr_info *object, uintptr_t now, const char *name)
{
    const struct hook *found = NULL;
    if (now >= lowest_real && now <= highest_real) {
        for (size_t i = 0; i < COUNT(hooks) && !found; i++)
            if (now == (uintptr_t)*hooks[i].real)
                found = &hooks[i];
    } else if (name) {
        for (size_t i = 0; i < COUNT(hooks) && !found; i++)
            if (hooks[i].lazy && strcmp(name, hooks[i].name) == 0)
                found = &hooks[i];
    }
    const char *name_of_object = base_name(object->dlpi_name);
    int is_python = found && strcmp(found->only, PYTHON) == 0 && !*name_of_object;
    if (found && !is_python && strncmp(name_of_object, found->only, strlen(found->only)) != 0)
        return NULL;
    if (found && found->never && strncmp(name_of_object, found->never, strlen(found->never)) == 0)
        return NULL;
    return found;
}

static int patch_slot(const struct dl_phdr_info *object, uintptr_t slot, void *ours)
{
    uintptr_t page = slot & ~(page_size - 1);
    int protected = 0;
    if (!inside(object, slot, PF_W))
        return 0;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        uintptr_t start = object->dlpi_addr + part->p_vaddr, end = start + part->p_memsz;
        /* As the dynamic linker does it: whole pages, the last partial one stays writable. */
        if (part->p_type == PT_GNU_RELRO && page >= (start & ~(page_size - 1)) && slot < (end & ~(page_size - 1)))
            protected = 1;
    }
    if (protected && mprotect((void *)page, page_size, PROT_READ | PROT_WRITE) != 0)
        return 0;
    atomic_store((void *_Atomic *)slot, ours);
    if (protected)
        mprotect((void *)page, page_size, PROT_READ);
    return 1;
}

struct pointer { uintptr_t slot; void *ours; int done; };

static int patch_if_inside(struct dl_phdr_info *object, size_t size, void *data)
{
    struct pointer *pointer = data;
    (void)size;
    pointer->done = patch_slot(object, pointer->slot, pointer->ours);
    return pointer->done;
}

/* A pointer in the data of a loaded object, wherever that is: one in memory of another kind is left alone. */
int patch_pointer(void **slot, void *ours)
{
    struct pointer pointer = {(uintptr_t)slot, ours, 0};
    page_size = (uintptr_t)sysconf(_SC_PAGESIZE);
    dl_iterate_phdr(patch_if_inside, &pointer);
    return pointer.done;
}

static int patch_object(const struct dl_phdr_info *object)
{
    uintptr_t base = object->dlpi_addr;
    uintptr_t code = 0, code_size = 0;
    const ElfW(Dyn) *dynamic = NULL;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        if (part->p_type == PT_DYNAMIC)
            dynamic = (const ElfW(Dyn) *)(base + part->p_vaddr);
        if (part->p_type == PT_LOAD && (part->p_flags & PF_X)) {
            code = base + part->p_vaddr;
            code_size = part->p_memsz;
        }
    }
    if (!dynamic || is_system(object->dlpi_name) || inside(object, (uintptr_t)&patch_object, PF_X))
        return 0;
    uintptr_t symbols = 0, names = 0, tables[2] = {0, 0};
    size_t names_size = 0, sizes[2] = {0, 0}, relative = 0;
    for (; dynamic->d_tag != DT_NULL; dynamic++) {
        uintptr_t value = dynamic->d_un.d_val, address = value < base ? value + base : value;
        switch (dynamic->d_tag) {
        case DT_SYMTAB: symbols = address; break;
        case DT_STRTAB: names = address; break;
        case DT_STRSZ: names_size = value; break;
        case DT_RELA: tables[0] = address; break;
        case DT_RELASZ: sizes[0] = value; break;
        case DT_RELACOUNT: relative = value; break; /* that many come first and have no name */
        case DT_JMPREL: tables[1] = address; break;
        case DT_PLTRELSZ: sizes[1] = value; break;
        case DT_RELAENT: if (value != sizeof(ElfW(Rela))) return 0; break;
        case DT_SYMENT: if (value != sizeof(ElfW(Sym))) return 0; break;
        case DT_PLTREL: if (value != DT_RELA) return 0; break;
        }
    }
    int patched = 0;
    for (int t = 0; t < 2 && symbols && names; t++) {
        const ElfW(Rela) *entries = (const ElfW(Rela) *)tables[t];
        size_t count = entries ? sizes[t] / sizeof *entries : 0;
        for (size_t i = t == 0 && relative < count ? relative : 0; i < count; i++) {
            uint64_t type = ELF64_R_TYPE(entries[i].r_info);
            if (type != JUMP_SLOT && type != GLOB_DAT)
                continue;
            uintptr_t slot = base + entries[i].r_offset;
            if (slot % sizeof(void *))
                continue;
            uintptr_t now = atomic_load((_Atomic uintptr_t *)slot);
            const char *name = NULL; /* looked up only where needed: big objects have 100,000s */
            if (type == JUMP_SLOT && now - code < code_size) {
                const ElfW(Sym) *symbol = (const ElfW(Sym) *)symbols + ELF64_R_SYM(entries[i].r_info);
                if (symbol->st_shndx == SHN_UNDEF && symbol->st_name < names_size)
                    name = (const char *)names + symbol->st_name;
            }
            const struct hook *hook = hook_for(object, now, name);
            if (hook)
                patched += patch_slot(object, slot, hook->ours);
        }
    }
    return patched > 0;
}

static int each_object(struct dl_phdr_info *object, size_t size, void *data)
{
    int *index = data;
    if (size < offsetof(struct dl_phdr_info, dlpi_subs) + sizeof object->dlpi_subs)
        return 1;
    if (*index == 0) {
        if (object->dlpi_adds == walk.adds && object->dlpi_subs == walk.subs)
            return 1;
        if (!walk.wanted)
            return 2;
        if (object->dlpi_subs != walk.subs)
            walk.objects = 0; /* something was unloaded, an address may be in use again: look at all */
        walk.adds = object->dlpi_adds;
        walk.subs = object->dlpi_subs;
    }
    if ((*index)++ >= walk.objects) /* new ones come at the end of the list */
        walk.patched += patch_object(object);
    return 0;
}

/* Signals are blocked while `patching` is held: a handler that forks would wait for its own thread. */
static int walk_objects(int wanted)
{
    sigset_t all, before;
    int index = 0;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_mutex_lock(&patching);
    walk.wanted = wanted;
    int result = dl_iterate_phdr(each_object, &index);
    if (result == 0)
        walk.objects = index;
    pthread_mutex_unlock(&patching);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return result;
}

/* dl_iterate_phdr shows objects that another thread's dlopen is still relocating; writing to (and
 * protecting!) their GOT would crash that thread. dlopen holds the linker's lock until all is done, and
 * so does dlsym while it asks an indirect function for its address: so the work is done in there. */
static atomic_int resolving;
static void under_the_lock(void) {}
static void (*patch_under_the_lock(void))(void)
{
    if (atomic_load(&resolving))
        walk_objects(1);
    return under_the_lock;
}
EXPORT void outlive_shim_under_lock(void) __attribute__((ifunc("patch_under_the_lock")));

/* fork may have copied the linker's other lock while a thread that is gone held it: then whoever takes it
 * in this child waits forever. Let a thread of no importance find out; until it returns nothing is patched. */
enum { USABLE, UNKNOWN, ASKED };
static atomic_int linker = USABLE;

static int stop_at_once(struct dl_phdr_info *object, size_t size, void *data)
{
    (void)object, (void)size, (void)data;
    return 1;
}

static void *ask_linker(void *data)
{
    dl_iterate_phdr(stop_at_once, NULL);
    atomic_store(&linker, USABLE);
    return data;
}

static int linker_usable(void)
{
    int unknown = UNKNOWN;
    if (atomic_compare_exchange_strong(&linker, &unknown, ASKED)) {
        sigset_t all, before;
        pthread_attr_t attributes;
        pthread_t thread;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before); /* the thread must not get the program's signals */
        pthread_attr_init(&attributes);
        pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
        pthread_attr_setstacksize(&attributes, 256 * 1024);
        pthread_create(&thread, &attributes, ask_linker, NULL);
        pthread_attr_destroy(&attributes);
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    }
    return atomic_load(&linker) == USABLE;
}

EXPORT int outlive_shim_patch(void)
{
    int saved = errno, result = 0;
    if (ready && linker_usable() && walk_objects(0) == 2) {
        int before = walk.patched;
        atomic_store(&resolving, 1);
        forks_in_linker(1);
        dlsym(RTLD_DEFAULT, "outlive_shim_under_lock"); /* looks in this object too */
        forks_in_linker(0);
        atomic_store(&resolving, 0);
        result = walk.patched - before;
    }
    errno = saved;
    return result;
}

void patching_before_fork(void) { pthread_mutex_lock(&patching); }
void patching_after_fork_in_parent(void) { pthread_mutex_unlock(&patching); }
void patching_after_fork_in_child(void)
{
    pthread_mutex_init(&patching, NULL);
    atomic_store(&linker, UNKNOWN);
}

int patching_open(void)
{
    int error = ready ? 0 : find_real_functions();
    page_size = (uintptr_t)sysconf(_SC_PAGESIZE);
    ready = !error;
    return error;
}
