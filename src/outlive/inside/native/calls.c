/* Calls of a few functions of Python that are written in C (os.kill, sys.exit ...) are seen, by pointing the
 * entry of their method table at a function of ours, as patching.c does it with functions of the C library.
 *
 * The program keeps the very same objects: nothing that it can ask of them differs, they bind to no class, no
 * frame is added. Of Python only exported functions are used, found by name; where the entry lies in an object
 * is not assumed but tried: what the exported functions say of it must stand there, or it is left alone. */
#include "shim.h"

#include <dlfcn.h>

typedef struct object object; /* PyObject */
typedef intptr_t word;        /* an argument of a C function of Python's: a pointer or a count */
typedef word function(word, word, word, word);

struct method { const char *name; function *function; int flags; const char *text; }; /* PyMethodDef */
enum { VARARGS = 1, KEYWORDS = 2, NOARGS = 4, SINGLE = 8, FASTCALL = 128 };

#define FUNCTIONS_OF_PYTHON(USE)                              \
    USE(function *, PyCFunction_GetFunction, (object *))      \
    USE(int, PyCFunction_GetFlags, (object *))                \
    USE(void *, PyInterpreterState_Get, (void))               \
    USE(void, Py_IncRef, (object *))                          \
    USE(void, Py_DecRef, (object *))                          \
    USE(object *, PyTuple_New, (word))                        \
    USE(int, PyTuple_SetItem, (object *, word, object *))     \
    USE(object *, PyTuple_GetItem, (object *, word))          \
    USE(word, PyTuple_Size, (object *))                       \
    USE(object *, PyDict_New, (void))                         \
    USE(int, PyDict_SetItem, (object *, object *, object *))  \
    USE(object *, PyDict_GetItem, (object *, object *))       \
    USE(object *, PyUnicode_InternFromString, (const char *)) \
    USE(object *, PyLong_FromLong, (long))                    \
    USE(object *, PyObject_Type, (object *))                  \
    USE(object *, PyObject_CallFunctionObjArgs, (object *, ...)) \
    USE(void, PyErr_SetObject, (object *, object *))          \
    USE(int, PyErr_ExceptionMatches, (object *))              \
    USE(int, PyErr_CheckSignals, (void))                      \
    USE(void, PyErr_Clear, (void))

static struct {
#define DECLARE(result, name, arguments) result(*name) arguments;
    FUNCTIONS_OF_PYTHON(DECLARE)
    object **PyExc_Exception, *_Py_NoneStruct, *PyUnicode_Type, *PyTuple_Type;
    void *(*PyThreadState_Get)(void);
    void (*PyThreadState_EnterTracing)(void *), (*PyThreadState_LeaveTracing)(void *); /* from 3.11 on */
} py;

/* Methods are numbered: nothing else tells a C function which of them it was called as. */
enum { CALLS = 40, TRACING_BEFORE_311 = 44 /* offsetof(PyThreadState, tracing) of 3.9 and 3.10 */ };
static struct call {
    function *real;
    int flags;
    object *before, *after; /* of Python, or NULL */
    object *names;          /* a dictionary: only calls on the globals of a module that it has are told */
    int is_exit;            /* os._exit */
} calls[CALLS];
static int used;
static object *dunder_name; /* "__name__" */
static object *zero;        /* there is one such object */
static void *home; /* the interpreter that the functions above belong to; others share the method tables */

static int find_python(void)
{
#define FIND(result, name, arguments) \
    if (!(*(void **)&py.name = dlsym(RTLD_DEFAULT, #name))) \
        return 0;
#define FIND_ANY(name) *(void **)&py.name = dlsym(RTLD_DEFAULT, #name)
    if (home)
        return 1;
    FUNCTIONS_OF_PYTHON(FIND)
    FIND_ANY(PyExc_Exception);
    FIND_ANY(_Py_NoneStruct);
    FIND_ANY(PyUnicode_Type);
    FIND_ANY(PyTuple_Type);
    FIND_ANY(PyThreadState_Get);
    FIND_ANY(PyThreadState_EnterTracing);
    FIND_ANY(PyThreadState_LeaveTracing);
    if (!py.PyExc_Exception || !py._Py_NoneStruct || !py.PyUnicode_Type || !py.PyTuple_Type ||
        !py.PyThreadState_Get)
        return 0;
    dunder_name = py.PyUnicode_InternFromString("__name__");
    zero = py.PyLong_FromLong(0);
    home = dunder_name ? py.PyInterpreterState_Get() : NULL;
    return home != NULL;
}

static void let_go(object *one, object *other)
{
    if (one)
        py.Py_DecRef(one);
    if (other)
        py.Py_DecRef(other);
}

static int is_a(object *value, object *type)
{
    object *found = py.PyObject_Type(value);
    py.Py_DecRef(found);
    return found == type;
}

static int is_wanted(const struct call *call, word second, word third)
{
    if (!call->names)
        return 1;
    object *globals = call->flags & FASTCALL && third >= 2 ? ((object **)second)[1] : NULL;
    object *name = globals ? py.PyDict_GetItem(globals, dunder_name) : NULL;
    return name && is_a(name, py.PyUnicode_Type) && py.PyDict_GetItem(call->names, name);
}

/* A forked child that has nothing to tell: what Python touched in it would be copied, page by page. */
static int ends_without_a_word(const struct call *call, word second, word third)
{
    return call->is_exit && atomic_load(&may_be_late) && call->flags & FASTCALL && third == 1 &&
           ((object **)second)[0] == zero;
}

static object *tuple_of(object *const *from, word count)
{
    object *made = py.PyTuple_New(count);
    for (word i = 0; made && i < count; i++) {
        py.Py_IncRef(from[i]);
        py.PyTuple_SetItem(made, i, from[i]);
    }
    return made;
}

/* The arguments as a tuple, and as a dictionary or None, however this method takes them. */
static object *positional(int flags, word second, word third)
{
    object *single = (object *)second;
    if (flags & FASTCALL)
        return tuple_of((object *const *)second, third);
    if (flags & VARARGS) {
        py.Py_IncRef(single);
        return single;
    }
    return tuple_of(&single, flags & SINGLE ? 1 : 0);
}

static object *named(int flags, word second, word third, word fourth)
{
    object *made = py._Py_NoneStruct, *names = (object *)fourth, *const *from = (object *const *)second;
    if (flags == (FASTCALL | KEYWORDS) && names && (made = py.PyDict_New()))
        for (word i = 0; i < py.PyTuple_Size(names); i++)
            py.PyDict_SetItem(made, py.PyTuple_GetItem(names, i), from[third + i]);
    else if (flags == (VARARGS | KEYWORDS) && third)
        py.Py_IncRef(made = (object *)third);
    else if (made)
        py.Py_IncRef(made);
    return made;
}

/* Before 3.11 Python has no function for it. To take the tracers out and put them back is none either: who traces in C
 * (cProfile) comes back as an object that is not callable. 3.9 and 3.10 will not change any more. */
static void count_as_tracing(int more)
{
    void *thread = py.PyThreadState_Get();
    if (!py.PyThreadState_EnterTracing)
        *(int *)((char *)thread + TRACING_BEFORE_311) += more;
    else if (more > 0)
        py.PyThreadState_EnterTracing(thread);
    else
        py.PyThreadState_LeaveTracing(thread);
}

/* Whoever traces or profiles the program follows its code, not ours. */
static object *ask(object *hook, object *arguments, object *names, object *result)
{
    count_as_tracing(1);
    object *answer = py.PyObject_CallFunctionObjArgs(hook, arguments, names, result, NULL);
    count_as_tracing(-1);
    return answer;
}

/* The program's handlers of signals run before ours is asked or after it, in the program's own frame. (A signal
 * that another thread gets can still bring its handler into ours: see programs_own in calls.py.) */
static object *ask_undisturbed(object *hook, object *arguments, object *names, object *result, int *raised)
{
    sigset_t blocked, before;
    sigfillset(&blocked);
    for (int i = 1; i < SIGNALS; i++)
        if (is_fatal(i))
            sigdelset(&blocked, i);
    pthread_sigmask(SIG_BLOCK, &blocked, &before);
    *raised = py.PyErr_CheckSignals() != 0;
    object *answer = *raised ? NULL : ask(hook, arguments, names, result);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return answer;
}

/* Asks a hook. It answers None, an exception for the caller (a signal's handler ran while ours was at work), or
 * the result in a tuple. 1: the call is over, and `*result` is its result. */
static int is_over(object *hook, object *arguments, object *names, object *given, object **result)
{
    int raised = 0;
    object *answer = arguments && names ? ask_undisturbed(hook, arguments, names, given, &raised) : NULL;
    *result = NULL;
    if (raised || (!answer && !py.PyErr_ExceptionMatches(*py.PyExc_Exception)))
        return 1;
    if (!answer)
        py.PyErr_Clear(); /* ours has failed, which is no business of the program's */
    if (!answer || answer == py._Py_NoneStruct) {
        if (answer)
            py.Py_DecRef(answer);
        return 0;
    }
    if (is_a(answer, py.PyTuple_Type)) {
        *result = py.PyTuple_GetItem(answer, 0);
        py.Py_IncRef(*result);
    } else {
        object *type = py.PyObject_Type(answer);
        py.PyErr_SetObject(type, answer);
        py.Py_DecRef(type);
    }
    py.Py_DecRef(answer);
    return 1;
}

/* Each kind of method has its own arguments, four words at most; those that a kind does not have are passed on
 * unread, in the registers that they happened to be in. */
static word called(const struct call *call, word self, word second, word third, word fourth)
{
    if (py.PyInterpreterState_Get() != home || (!call->before && !call->after) || !is_wanted(call, second, third) ||
        ends_without_a_word(call, second, third))
        return call->real(self, second, third, fourth);
    object *arguments = positional(call->flags, second, third), *result = NULL, *other;
    object *names = named(call->flags, second, third, fourth);
    object *asked = call->before;
    int over = asked && is_over(asked, arguments, names, NULL, &result);
    if (!over && call->before && call->before != asked) /* it has loaded the agent, which wants to be asked too */
        over = is_over(call->before, arguments, names, NULL, &result);
    if (!over)
        result = (object *)call->real(self, second, third, fourth);
    if (!over && result && call->after && is_over(call->after, arguments, names, result, &other)) {
        py.Py_DecRef(result);
        result = other;
    }
    let_go(arguments, names);
    return (word)result;
}

#define NUMBERED(n)                                                                  \
    static word call_##n(word self, word second, word third, word fourth)            \
    {                                                                                \
        return called(&calls[n], self, second, third, fourth);                       \
    }
#define EACH(USE)                                                                    \
    USE(0) USE(1) USE(2) USE(3) USE(4) USE(5) USE(6) USE(7) USE(8) USE(9) USE(10) USE(11) USE(12) USE(13) \
    USE(14) USE(15) USE(16) USE(17) USE(18) USE(19) USE(20) USE(21) USE(22) USE(23) USE(24) USE(25) USE(26) \
    USE(27) USE(28) USE(29) USE(30) USE(31) USE(32) USE(33) USE(34) USE(35) USE(36) USE(37) USE(38) USE(39)
EACH(NUMBERED)
#define LISTED(n) call_##n,
static function *const numbered[CALLS] = {EACH(LISTED)};

static int is_known(int flags)
{
    return flags == VARARGS || flags == (VARARGS | KEYWORDS) || flags == NOARGS || flags == SINGLE ||
           flags == FASTCALL || flags == (FASTCALL | KEYWORDS);
}

/* The entry of the method table, if it is where it should be: right after the head of the object. */
static struct method *method_of(object *python_function, size_t head)
{
    struct method *found = *(struct method **)((char *)python_function + head);
    if (!readable(found, sizeof *found) || found->function != py.PyCFunction_GetFunction(python_function) ||
        found->flags != py.PyCFunction_GetFlags(python_function) || !is_known(found->flags))
        return NULL;
    return found;
}

/* A program may end its interpreter and begin another one, which finds the entries as they were left. */
static int number_of(function *found)
{
    for (int i = 0; i < used; i++)
        if (found == numbered[i])
            return i;
    return used;
}

EXPORT void outlive_calls_end(void) { home = NULL; }

/* Called with the interpreter's lock. `head` is object.__basicsize__. 1: the calls are seen from now on. */
EXPORT int outlive_calls_watch(object *python_function, size_t head, object *before, object *after, object *names)
{
    int saved = errno, done = 0;
    struct method *method = find_python() ? method_of(python_function, head) : NULL;
    int number = method ? number_of(method->function) : CALLS;
    if (number < CALLS) {
        function *real = number < used ? calls[number].real : method->function;
        object *held[] = {before, after, names};
        for (size_t i = 0; i < COUNT(held); i++) {
            if (held[i] == py._Py_NoneStruct)
                held[i] = NULL;
            else
                py.Py_IncRef(held[i]); /* for as long as the process lives */
        }
        calls[number] = (struct call){real, method->flags, held[0], held[1], held[2], strcmp(method->name, "_exit") == 0};
        done = patch_pointer((void **)&method->function, (void *)numbered[number]);
        used += done && number == used;
    }
    dlerror();
    errno = saved;
    return done;
}
