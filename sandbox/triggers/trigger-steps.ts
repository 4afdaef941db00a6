// The steps that triggers are made of: what merchants ask for, and what payers and rails then do in the sandbox.
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { SHOP_MODES, type CashFault, type ShopMode } from '../../shared/sandbox.ts';
import { hear, keepMade, lastMade, madeSchema, type Scene, type Step } from './trigger-context.ts';

/** A number that no script speaks for: whoever scans with it pays at once. */
const SCANNER = '923000009';

/** Held by its creation until its rail has answered. */
const WAITING = { Prefer: 'wait=10' };

const anything = z.unknown();

/** The merchant asks a phone for money (onetimepurchase). */
export const push = (phoneNumber: string): Step => createGpo({ paymentMethod: 'onetimepurchase', phoneNumber });

/** The merchant has a phone reserve money. */
export const reserve = (phoneNumber: string): Step =>
  createGpo({ paymentMethod: 'authorization', phoneNumber }, WAITING);

/** The merchant takes what was reserved last. */
export const capture: Step = (scene) =>
  createGpo({ paymentMethod: 'capture', authorizationId: lastMade(scene).internalId }, WAITING)(scene);

/** The merchant makes a hosted page. */
export const openPage: Step = createGpo({ paymentMethod: 'webframe' });

/** A payer gives a phone on the hosted page. */
export const payOnPage = (phoneNumber: string): Step => {
  return (scene) => {
    const { clientToken } = lastMade(scene);
    return scene.gateway.request(anything, 'POST', `/checkout/${clientToken}/pay`, { body: { phoneNumber } });
  };
};

/** The merchant makes a QR code. @param lastsS ends it early */
export function makeCode({ maxTransactions = 1, lastsS = 0 } = {}): Step {
  return (scene) => {
    const endDate = lastsS > 0 ? { endDate: inSeconds(scene, lastsS) } : {};
    const metadata = { paymentMethod: 'qrcode', maxTransactions, ...endDate };
    return createGpo(metadata, { Prefer: 'return=representation' })(scene);
  };
}

/** A payer scans the code and pays. */
export const scan: Step = (scene) => {
  const body = { content: lastMade(scene).qrCode?.content, phone: SCANNER };
  return scene.gateway.requestSandbox(anything, 'POST', '/sandbox/scan', { body });
};

/** The merchant withdraws a payment: reserved money goes back. */
export const cancel: Step = (scene) =>
  scene.gateway.request(anything, 'POST', `/api/payments/${lastMade(scene).internalId}/cancel`);

/** The merchant makes a payment reference, and the rail learns of it. */
export function makeReference({ isOpen = false, lastsS = 0 } = {}): Step {
  return async (scene) => {
    const type = isOpen ? { referenceType: 'Charging', amount: 0 } : { amount: scene.amount };
    const body = { ...type, description: 'trigger', ...(lastsS > 0 && { expiryDate: inSeconds(scene, lastsS) }) };
    const { reference } = await scene.gateway.request(z.object({ reference: z.string() }), 'POST', REFERENCES, {
      body,
    });
    keepMade(scene, await scene.gateway.request(madeSchema, 'GET', `/api/payments/${reference}`));
    await hear('reference.registered')(scene);
  };
}

const REFERENCES = '/api/references/ppr';

/** The merchant withdraws the reference. */
export const cancelReference: Step = (scene) =>
  scene.gateway.request(anything, 'POST', `${REFERENCES}/${lastMade(scene).reference}/cancel`);

/** Somebody pays the reference at an ATM. @param amount decimal text; absent: what the trigger is about */
export function payAtAtm({ fault, amount }: { fault?: CashFault; amount?: string } = {}): Step {
  return (scene) => {
    const { entity, reference } = lastMade(scene);
    const body = { entity, reference, amount: amount ?? String(scene.amount), ...(fault && { fault }) };
    return scene.gateway.requestSandbox(anything, 'POST', '/sandbox/atm', { body });
  };
}

/** The merchant opens or closes its terminal. */
export function moveTerminal(action: 'open' | 'close'): Step {
  return (scene) => {
    scene.subjects.add(scene.posId);
    return scene.gateway.request(anything, 'GET', `/api/terminals/${encodeURIComponent(scene.posId)}/${action}`);
  };
}

const shopMode = z.object({ mode: z.enum(SHOP_MODES) });

/** The demo shop's server answers its callbacks so, until the trigger is over. */
export function answerAs(mode: ShopMode): Step {
  return async (scene) => {
    const { mode: before } = await scene.gateway.requestSandbox(shopMode, 'GET', '/sandbox/callbacks');
    const setMode = (to: ShopMode) =>
      scene.gateway.requestSandbox(anything, 'PUT', '/sandbox/callbacks/mode', { body: { mode: to } });
    await setMode(mode);
    scene.undo.push(() => setMode(before));
  };
}

/** Puts back what steps before have changed. */
export const undoAll: Step = async (scene) => {
  for (const undo of scene.undo.splice(0)) await undo();
};

function createGpo(metadata: Record<string, unknown>, headers: Record<string, string> = {}): Step {
  return async (scene: Scene) => {
    const reference = `TRG-${randomBytes(4).toString('hex')}`;
    const body = { amount: scene.amount, currency: 'AOA', paymentType: 'GPO', reference, metadata };
    keepMade(scene, await scene.gateway.request(madeSchema, 'POST', '/api/payments', { body, headers }));
  };
}

const inSeconds = ({ clock }: Scene, seconds: number) =>
  new Date(clock.now().getTime() + seconds * 1_000).toISOString();
