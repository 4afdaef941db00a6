// The preview image in chats for a payment or link: the merchant's logo, or a receipt in the merchant's colour.
import { PNG } from 'pngjs';
import { readBrand } from '../../shared/brand.ts';
import type { Core } from '../core.ts';
import type { Answer } from '../http/problem.ts';
import { findMerchant } from '../merchants/find.ts';
import { readLogo } from '../merchants/schemas.ts';
import { route, type Route } from '../http/route.ts';
import { about, CORS } from './context.ts';
import { NO_SCRIPT_HEADERS } from './images.ts';
import { findByToken } from './session.ts';

/** Image types that every chat can show. WebP is missing, because some chats cannot show it. */
const SHOWN = new Set(['image/png', 'image/jpeg']);

const HOUSE = '#0b5d5b';
const SIZE = { width: 1200, height: 630 };

/** The path of the preview image, below the URL of a payment's page or a link's page. */
export const PREVIEW_PATH = '/preview.png';

export function previewRoute(core: Core): Route {
  return route({
    ...about,
    method: 'GET',
    path: `/checkout/{clientToken}${PREVIEW_PATH}`,
    operationId: 'drawCheckoutPreview',
    summary: 'The preview image that chats show for the payment',
    isHidden: true,
    answers: { 200: { description: 'The image', contentType: 'image/*' } },
    run: async ({ params }) => answerPreview(core, (await findByToken(core, params.clientToken)).merchantId),
  });
}

/** Sends the preview image. A chat's server requests it once for all readers of a message. */
export async function answerPreview(core: Core, merchantId: string): Promise<Answer> {
  const { brandLogo, brandColor } = await findMerchant(core, merchantId);
  const logo = readLogo(brandLogo ?? '');
  const isShown = logo && SHOWN.has(logo.type);
  const { type, bytes } = isShown ? logo : drawReceipt(readBrand(brandColor)?.light ?? HOUSE);
  return {
    status: 200,
    body: bytes,
    type,
    headers: { ...NO_SCRIPT_HEADERS, ...CORS, 'Cache-Control': 'private, max-age=3600' },
  };
}

function drawReceipt(color: string) {
  const { width, height } = SIZE;
  const data = Buffer.alloc(3 * width * height, color.slice(1), 'hex');
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const start = x;
      while (isPaper(x, y)) x++;
      if (x > start) data.fill(0xff, 3 * (y * width + start), 3 * (y * width + x));
    }
  const rgb = { colorType: 2, inputColorType: 2, inputHasAlpha: false } as const;
  return { type: 'image/png', bytes: PNG.sync.write({ ...SIZE, data }, { ...rgb, filterType: 2, deflateLevel: 1 }) };
}

/** True for the white pixels of the receipt image: paper with a torn edge, text lines, a dashed line, a check mark. */
function isPaper(x: number, y: number): boolean {
  if (x < 430 || x >= 770 || y < 80 || y >= 530 + Math.abs((x % 40) - 20)) return false;
  const isText = (y >= 140 && y < 164 && x >= 480 && x < 720) || (y >= 190 && y < 206 && x >= 480 && x < 640);
  const isDash = y >= 258 && y < 263 && x % 20 < 12;
  const isCheck = isOnStroke(x, y, [525, 390], [580, 445]) || isOnStroke(x, y, [580, 445], [675, 340]);
  return !isText && !isDash && !isCheck;
}

type Point = readonly [x: number, y: number];

/** True within 14 pixels of the line from one point to another. */
function isOnStroke(x: number, y: number, [fromX, fromY]: Point, [toX, toY]: Point): boolean {
  const [dx, dy] = [toX - fromX, toY - fromY];
  const along = ((x - fromX) * dx + (y - fromY) * dy) / (dx * dx + dy * dy);
  const share = Math.min(1, Math.max(0, along));
  return (x - fromX - share * dx) ** 2 + (y - fromY - share * dy) ** 2 <= 14 ** 2;
}
