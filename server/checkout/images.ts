// The images of a checkout: the QR code and the merchant's logo.
import type { Core } from '../core.ts';
import { Problem, type Answer } from '../http/problem.ts';
import { route, type Route } from '../http/route.ts';
import { findMerchant } from '../merchants/find.ts';
import { readLogo } from '../merchants/schemas.ts';
import { drawQrSvg } from '../exports/qr-image.ts';
import { about, CORS } from './context.ts';
import { findByToken } from './session.ts';

/** An SVG is a document, so these headers forbid scripts in an image that is opened directly. */
export const NO_SCRIPT_HEADERS = {
  'Content-Security-Policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
};

const KEPT = { code: 'private, max-age=60', logo: 'private, max-age=3600' };

export function codeRoute(core: Core): Route {
  return route({
    ...about,
    method: 'GET',
    path: '/checkout/{clientToken}/qrcode.svg',
    operationId: 'drawCheckoutQrCode',
    summary: 'The QR code as an image',
    answers: { 200: { description: 'The image', contentType: 'image/svg+xml' } },
    async run({ params, ctx }) {
      ctx.set(CORS);
      const { qrContent } = await findByToken(core, params.clientToken);
      if (!qrContent) throw new Problem('not_found');
      const headers = { ...NO_SCRIPT_HEADERS, 'Cache-Control': KEPT.code };
      return { status: 200, body: drawQrSvg(qrContent), type: 'image/svg+xml', headers };
    },
  });
}

export function logoRoute(core: Core): Route {
  return route({
    ...about,
    method: 'GET',
    path: '/checkout/{clientToken}/logo',
    operationId: 'readCheckoutLogo',
    summary: "The merchant's logo",
    description: 'A PNG, JPEG or WebP. 404 if the merchant has no logo (`merchant.hasLogo` of the session).',
    answers: { 200: { description: 'The image', contentType: 'image/*' } },
    async run({ params, ctx }) {
      ctx.set(CORS);
      const { merchantId } = await findByToken(core, params.clientToken);
      return answerLogo(core, merchantId);
    },
  });
}

/** Sends the merchant's logo. @throws Problem not_found if the merchant has no logo */
export async function answerLogo(core: Core, merchantId: string): Promise<Answer> {
  const logo = readLogo((await findMerchant(core, merchantId)).brandLogo ?? '');
  if (!logo) throw new Problem('not_found');
  return {
    status: 200,
    body: logo.bytes,
    type: logo.type,
    headers: { ...NO_SCRIPT_HEADERS, 'Cache-Control': KEPT.logo },
  };
}
