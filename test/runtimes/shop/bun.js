// Serves the program on Bun.
import { answer } from './program.js';

const { port } = Bun.serve({ hostname: '127.0.0.1', port: 0, idleTimeout: 120, fetch: answer });
console.log(`port ${port}`);
