// Serves the program on Deno.
import { answer } from './program.js';

Deno.serve({ hostname: '127.0.0.1', port: 0, onListen: ({ port }) => console.log(`port ${port}`) }, answer);
