import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.UTFDataFormatException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.Charset;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CharsetEncoder;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/**
 * What Java makes of bytes and of 16-bit code units: one request a line on standard input, one answer a line.
 * A request is an operation, a charset or -, and hex digits; an answer is hex digits, or `refused`, with the place after
 * a colon where there is one.
 */
public class Text {
    static final HexFormat HEX = HexFormat.of();

    public static void main(String[] arguments) throws IOException {
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
        PrintStream output = new PrintStream(System.out, false, StandardCharsets.US_ASCII);
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            String[] request = line.split(" ", -1);
            output.println(answer(request[0], request[1], HEX.parseHex(request[2])));
        }
        output.flush();
    }

    static String answer(String operation, String charset, byte[] data) throws IOException {
        return switch (operation) {
            case "decode" -> decode(Charset.forName(charset), data);
            case "decode-replacing" -> units(new String(data, Charset.forName(charset)));
            case "encode" -> encode(Charset.forName(charset), string(data));
            case "encode-replacing" -> HEX.formatHex(string(data).getBytes(Charset.forName(charset)));
            case "read-utf" -> readUtf(data);
            case "write-utf" -> writeUtf(string(data));
            default -> throw new IllegalArgumentException(operation);
        };
    }

    static String string(byte[] units) {
        char[] characters = new char[units.length / 2];
        ByteBuffer.wrap(units).asCharBuffer().get(characters);
        return new String(characters);
    }

    static String units(CharSequence text) {
        ByteBuffer bytes = ByteBuffer.allocate(2 * text.length());
        bytes.asCharBuffer().put(CharBuffer.wrap(text));
        return HEX.formatHex(bytes.array());
    }

    static String decode(Charset charset, byte[] data) {
        CharsetDecoder decoder = charset.newDecoder();
        ByteBuffer bytes = ByteBuffer.wrap(data);
        CharBuffer characters = CharBuffer.allocate(4 * data.length + 4);
        CoderResult result = decoder.decode(bytes, characters, true);
        return result.isError() ? "refused:" + bytes.position() : units(characters.flip());
    }

    static String encode(Charset charset, String text) {
        CharsetEncoder encoder = charset.newEncoder();
        CharBuffer characters = CharBuffer.wrap(text);
        ByteBuffer bytes = ByteBuffer.allocate(6 * text.length() + 6);
        CoderResult result = encoder.encode(characters, bytes, true);
        if (result.isError()) {
            return "refused:" + characters.position();
        }
        encoder.flush(bytes);
        return HEX.formatHex(bytes.array(), 0, bytes.position());
    }

    /** The data begin with their length; what is left in the stream must be nothing. */
    static String readUtf(byte[] data) throws IOException {
        DataInputStream stream = new DataInputStream(new ByteArrayInputStream(data));
        try {
            String text = stream.readUTF();
            return stream.read() < 0 ? units(text) : "left over";
        } catch (UTFDataFormatException | EOFException error) {
            return "refused:" + error.getClass().getSimpleName();
        }
    }

    static String writeUtf(String text) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try {
            new DataOutputStream(bytes).writeUTF(text);
        } catch (UTFDataFormatException error) {
            return "refused:" + error.getClass().getSimpleName();
        }
        return HEX.formatHex(bytes.toByteArray());
    }
}
