// Ends an unsupported Node with one sentence. The syntax is old, because the unsupported Node must read it.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
// crypto.argon2 appeared in 24.7.
if (major < 24 || (major === 24 && minor < 7)) {
  console.error(
    `Balcão needs Node 24.7 or newer, and this is ${process.version}: ` +
      'install Node 24, or run npm ci, which brings one for npm start.',
  );
  process.exit(1);
}
