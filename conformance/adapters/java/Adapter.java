import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UTFDataFormatException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.Charset;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CharsetEncoder;
import java.nio.charset.CoderResult;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Java's charsets, or its DataInput and DataOutput: `java Adapter.java charset`, `java Adapter.java data`. */
public class Adapter {
    static final HexFormat HEX = HexFormat.of();
    static final String UNSUPPORTED = "{\"unsupported\": true}";
    static final Map<String, String> CHARSETS = Map.of(
            "utf-8", "UTF-8", "cesu-8", "CESU-8",
            "utf-16", "UTF-16", "utf-16-le", "UTF-16LE", "utf-16-be", "UTF-16BE",
            "utf-32", "UTF-32", "utf-32-le", "UTF-32LE", "utf-32-be", "UTF-32BE");

    public static void main(String[] arguments) throws IOException {
        boolean charsets = arguments[0].equals("charset");
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            System.out.println(answer(charsets, line));
            System.out.flush();
        }
    }

    static String answer(boolean charsets, String line) throws IOException {
        String operation = field(line, "op");
        if (operation.equals("hello")) {
            String name = charsets ? "Java charsets" : "Java DataInput, DataOutput";
            return "{\"name\": \"" + name + "\", \"version\": \"" + System.getProperty("java.version") + "\"}";
        }
        String form = field(line, "form");
        if (!charsets) {
            return data(form, operation, field(line, "input"));
        }
        return CHARSETS.containsKey(form) ? charset(Charset.forName(CHARSETS.get(form)), operation, line) : UNSUPPORTED;
    }

    /** The value of a member: requests are flat, and their strings hold neither quotes nor escapes. */
    static String field(String line, String name) {
        Matcher found = Pattern.compile("\"" + name + "\": ?\"([^\"]*)\"").matcher(line);
        return found.find() ? found.group(1) : "";
    }

    static int[] chunks(String line) {
        Matcher found = Pattern.compile("\"chunks\": ?\\[([^\\]]*)\\]").matcher(line);
        return found.find() ? Pattern.compile(", ?").splitAsStream(found.group(1)).mapToInt(Integer::parseInt).toArray() : new int[0];
    }

    static String charset(Charset charset, String operation, String line) {
        String given = field(line, "input");
        return switch (operation) {
            case "decode" -> decode(charset, HEX.parseHex(given));
            case "replace" -> points(new String(HEX.parseHex(given), charset));
            case "decode-stream" -> decodeStream(charset, HEX.parseHex(given), chunks(line));
            case "encode" -> above(given) || joins(charset, given) ? UNSUPPORTED : encode(charset, string(given));
            default -> UNSUPPORTED;
        };
    }

    static String points(CharSequence text) {
        String points = text.codePoints().mapToObj(Integer::toHexString).collect(Collectors.joining(" "));
        return "{\"code_points\": \"" + points + "\"}";
    }

    static boolean above(String given) {
        return Pattern.compile(" ").splitAsStream(given).anyMatch(
                point -> !point.isEmpty() && Long.parseLong(point, 16) > Character.MAX_CODE_POINT);
    }

    /** A string holds no two code points that are a pair of surrogates; only CESU-8 is defined on 16-bit units. */
    static boolean joins(Charset charset, String given) {
        int count = given.isEmpty() ? 0 : given.split(" ").length;
        String text = string(given);
        return !charset.name().equals("CESU-8") && text.codePointCount(0, text.length()) != count;
    }

    static String string(String given) {
        StringBuilder text = new StringBuilder();
        for (String point : given.isEmpty() ? new String[0] : given.split(" ")) {
            text.appendCodePoint(Integer.parseInt(point, 16));
        }
        return text.toString();
    }

    static String decode(Charset charset, byte[] data) {
        CharsetDecoder decoder = charset.newDecoder();
        ByteBuffer bytes = ByteBuffer.wrap(data);
        CharBuffer characters = CharBuffer.allocate(4 * data.length + 4);
        CoderResult result = decoder.decode(bytes, characters, true);
        if (result.isError()) {
            return "{\"error\": [" + bytes.position() + ", " + (bytes.position() + result.length()) + "]}";
        }
        decoder.flush(characters);
        return points(characters.flip());
    }

    static String decodeStream(Charset charset, byte[] data, int[] sizes) {
        CharsetDecoder decoder = charset.newDecoder()
                .onMalformedInput(CodingErrorAction.REPLACE).onUnmappableCharacter(CodingErrorAction.REPLACE);
        CharBuffer characters = CharBuffer.allocate(4 * data.length + 4);
        ByteBuffer held = ByteBuffer.allocate(data.length);
        int at = 0;
        for (int place = 0; place < sizes.length; place++) {
            held.put(data, at, sizes[place]).flip();
            decoder.decode(held, characters, place == sizes.length - 1);
            held.compact();
            at += sizes[place];
        }
        decoder.flush(characters);
        return points(characters.flip());
    }

    static String encode(Charset charset, String text) {
        CharsetEncoder encoder = charset.newEncoder();
        CharBuffer characters = CharBuffer.wrap(text);
        ByteBuffer bytes = ByteBuffer.allocate(6 * text.length() + 8);
        CoderResult result = encoder.encode(characters, bytes, true);
        if (result.isError()) {
            return "{\"error\": [" + text.codePointCount(0, characters.position()) + "]}";
        }
        encoder.flush(bytes);
        return "{\"bytes\": \"" + HEX.formatHex(bytes.array(), 0, bytes.position()) + "\"}";
    }

    /** `readUTF` and `writeUTF`, whose strings begin with their length; `mutf-8/java` is what `readUTF` is defined to take. */
    static String data(String form, String operation, String given) throws IOException {
        if (operation.equals("decode") && (form.equals("mutf-8") || form.equals("mutf-8/java"))) {
            return readUtf(HEX.parseHex(given));
        }
        return operation.equals("encode") && form.equals("mutf-8") && !above(given) ? writeUtf(string(given)) : UNSUPPORTED;
    }

    static String readUtf(byte[] data) throws IOException {
        ByteArrayOutputStream whole = new ByteArrayOutputStream();
        new DataOutputStream(whole).writeShort(data.length);
        whole.write(data);
        try {
            return points(new DataInputStream(new ByteArrayInputStream(whole.toByteArray())).readUTF());
        } catch (UTFDataFormatException | EOFException error) {
            return "{\"error\": []}";
        }
    }

    static String writeUtf(String text) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        new DataOutputStream(bytes).writeUTF(text);
        return "{\"bytes\": \"" + HEX.formatHex(bytes.toByteArray()).substring(4) + "\"}";
    }
}
