// Writes customers-cesu-8.csv and save-game.dat: a table for a database whose character set is CESU-8 (Oracle calls it
// UTF8), and strings as `DataOutputStream.writeUTF` writes them, which is Modified UTF-8 after a length of two bytes.

import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;

class Export {
    public static void main(String[] arguments) throws IOException {
        String table = """
            id,name,note
            1,Zoë Müller,likes 🍰 and 🐈
            2,李小龙,𠮷野家 on Fridays
            3,José Ibáñez,no note
            """;
        Files.writeString(Path.of("customers-cesu-8.csv"), table, Charset.forName("CESU-8"));

        String title = "Level 3 🏰 finished";
        try (var game = new DataOutputStream(Files.newOutputStream(Path.of("save-game.dat")))) {
            game.writeUTF("Jürgen 🎮");
            game.writeUTF("sword\0shield\0🗝");
            game.writeUTF(title.substring(0, 9)); // eight characters and half an emoji
        }
    }
}
