// A WordPress with the stand-in that stays up, for looking at pages: `node test/woocommerce/serve.ts`.
// PORT (8090) is the shop's port, GATEWAY_URL (http://127.0.0.1:8080) a running gateway, STORAGE hpos or posts.
// CONNECTED=no leaves the settings of the plug-in empty.
import { startWordPress } from './wordpress.ts';

const gateway = process.env['GATEWAY_URL'] ?? 'http://127.0.0.1:8080';
const storage = process.env['STORAGE'] === 'posts' ? 'posts' : 'hpos';
const site = await startWordPress({ port: Number(process.env['PORT'] ?? 8090), storage });
if (process.env['CONNECTED'] !== 'no') {
  const settings = { url: gateway, client_id: 'demo', client_secret: 'demo-secret', test_mode: 'yes' };
  await site.control({ do: 'options', options: { balcao_settings: settings } });
}
const product = await site.control({ do: 'call', function: 'get_option', arguments: ['stand_in_product'] });
console.log(`${site.url}/checkout/?add-to-cart=${product}`);
console.log(`${site.url}/blocks/`);
console.log(`${site.url}/wp-admin/ with admin and password`);
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void site.stop().then(() => process.exit()));
