// The QR code that an authenticator scans to take a secret over.
import { rarely } from '../rare.ts';

const loadQrcode = rarely<typeof import('qrcode')>('qrcode');

/** The content as an SVG image, a data: URL. */
export async function drawCode(content: string): Promise<string> {
  const svg = await loadQrcode().toString(content, { type: 'svg', errorCorrectionLevel: 'M' });
  return `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`;
}
