// Serves the program on Node.js.
import { createServer } from 'node:http';
import { answer } from './program.js';

const server = createServer(async (req, res) => {
  const { method, url, headers } = req;
  const body = method === 'POST' ? Buffer.concat(await req.toArray()) : null;
  const response = await answer(new Request(`http://127.0.0.1${url}`, { method, headers, body }));
  res.writeHead(response.status, Object.fromEntries(response.headers)).end(await response.text());
});
server.listen(0, '127.0.0.1', () => console.log(`port ${server.address().port}`));
