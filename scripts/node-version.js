// Ends an unsupported Node with one sentence. Plain JavaScript in old syntax, because the unsupported Node must read it.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 18)) {
  console.error(
    `Balcão needs Node 22.18 or newer, and this is ${process.version}: ` +
      'install Node 24, or run npm ci, which brings one for npm start.',
  );
  process.exit(1);
}
