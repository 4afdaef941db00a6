// Ends an unsupported Node version with one sentence. The syntax is old, so that an old Node can parse the file.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
// `crypto.argon2` exists since Node 24.7.
if (major < 24 || (major === 24 && minor < 7)) {
  console.error(
    `Balcão needs Node 24.7 or newer, and this is ${process.version}: ` +
      'install Node 24, or run npm ci, which brings one for npm start.',
  );
  process.exit(1);
}
