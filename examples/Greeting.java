// The source of Greeting.class, whose constant pool holds an emoji and a NUL.

class Greeting {
    static final String HELLO = "Grüß dich 👋";
    static final String FIELDS = "name\0city";
}
