// Steps of triggers: requests of merchants, and actions of payers and rails in the sandbox.
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { SHOP_MODES, type CashFault, type ShopMode } from '../../shared/sandbox.ts';
import {
  waitForEvent,
  addCreated,
  lastCreated,
  createdSchema,
  type TriggerContext,
  type Step,
} from './trigger-context.ts';

/** A phone number without a script: a scan with this phone is approved immediately. */
const SCANNER = '923000009';

/** With this header, the gateway delays the answer to a creation until the rail has answered. */
const WAITING = { Prefer: 'wait=10' };

const anything = z.unknown();

/** Step: the merchant sends a push to a phone (onetimepurchase). */
export const push = (phoneNumber: string): Step => createGpo({ paymentMethod: 'onetimepurchase', phoneNumber });

/** Step: the merchant reserves money with a push to a phone. */
export const reserve = (phoneNumber: string): Step =>
  createGpo({ paymentMethod: 'authorization', phoneNumber }, WAITING);

/** Step: the merchant captures the last authorization. */
export const capture: Step = (scene) =>
  createGpo({ paymentMethod: 'capture', authorizationId: lastCreated(scene).internalId }, WAITING)(scene);

/** Step: the merchant creates a hosted page. */
export const openPage: Step = createGpo({ paymentMethod: 'webframe' });

/** Step: a payer enters a phone number on the hosted page. */
export const payOnPage = (phoneNumber: string): Step => {
  return (scene) => {
    const { clientToken } = lastCreated(scene);
    return scene.gateway.request(anything, 'POST', `/checkout/${clientToken}/pay`, { body: { phoneNumber } });
  };
};

/** Step: the merchant creates a QR code. @param lastsS its lifetime in seconds; 0 keeps the default */
export function makeCode({ maxTransactions = 1, lastsS = 0 } = {}): Step {
  return (scene) => {
    const endDate = lastsS > 0 ? { endDate: inSeconds(scene, lastsS) } : {};
    const metadata = { paymentMethod: 'qrcode', maxTransactions, ...endDate };
    return createGpo(metadata, { Prefer: 'return=representation' })(scene);
  };
}

/** Step: a payer scans the QR code and pays. */
export const scan: Step = (scene) => {
  const body = { content: lastCreated(scene).qrCode?.content, phone: SCANNER };
  return scene.gateway.requestSandbox(anything, 'POST', '/sandbox/scan', { body });
};

/** Step: the merchant cancels a payment, which releases reserved money. */
export const cancel: Step = (scene) =>
  scene.gateway.request(anything, 'POST', `/api/payments/${lastCreated(scene).internalId}/cancel`);

/** Step: the merchant creates a payment reference, which the gateway registers at the rail. */
export function makeReference({ isOpen = false, lastsS = 0 } = {}): Step {
  return async (scene) => {
    const type = isOpen ? { referenceType: 'Charging', amount: 0 } : { amount: scene.amount };
    const body = { ...type, description: 'trigger', ...(lastsS > 0 && { expiryDate: inSeconds(scene, lastsS) }) };
    const { reference } = await scene.gateway.request(z.object({ reference: z.string() }), 'POST', REFERENCES, {
      body,
    });
    addCreated(scene, await scene.gateway.request(createdSchema, 'GET', `/api/payments/${reference}`));
    await waitForEvent('reference.registered')(scene);
  };
}

const REFERENCES = '/api/references/ppr';

/** Step: the merchant withdraws the payment reference. */
export const cancelReference: Step = (scene) =>
  scene.gateway.request(anything, 'POST', `${REFERENCES}/${lastCreated(scene).reference}/cancel`);

/** Step: a payer pays the reference at an ATM. @param amount decimal text; default: the trigger's amount */
export function payAtAtm({ fault, amount }: { fault?: CashFault; amount?: string } = {}): Step {
  return (scene) => {
    const { entity, reference } = lastCreated(scene);
    const body = { entity, reference, amount: amount ?? String(scene.amount), ...(fault && { fault }) };
    return scene.gateway.requestSandbox(anything, 'POST', '/sandbox/atm', { body });
  };
}

/** Step: the merchant opens or closes its terminal. */
export function moveTerminal(action: 'open' | 'close'): Step {
  return (scene) => {
    scene.subjects.add(scene.posId);
    return scene.gateway.request(anything, 'GET', `/api/terminals/${encodeURIComponent(scene.posId)}/${action}`);
  };
}

const shopMode = z.object({ mode: z.enum(SHOP_MODES) });

/** Step: sets the answer mode of the demo shop's server until the trigger ends. */
export function setShopMode(mode: ShopMode): Step {
  return async (scene) => {
    const { mode: before } = await scene.gateway.requestSandbox(shopMode, 'GET', '/sandbox/callbacks');
    const setMode = (to: ShopMode) =>
      scene.gateway.requestSandbox(anything, 'PUT', '/sandbox/callbacks/mode', { body: { mode: to } });
    await setMode(mode);
    scene.undo.push(() => setMode(before));
  };
}

/** Step: restores everything in the sandbox that earlier steps changed. */
export const undoAll: Step = async (scene) => {
  for (const undo of scene.undo.splice(0)) await undo();
};

function createGpo(metadata: Record<string, unknown>, headers: Record<string, string> = {}): Step {
  return async (scene: TriggerContext) => {
    const reference = `TRG-${randomBytes(4).toString('hex')}`;
    const body = { amount: scene.amount, currency: 'AOA', paymentType: 'GPO', reference, metadata };
    addCreated(scene, await scene.gateway.request(createdSchema, 'POST', '/api/payments', { body, headers }));
  };
}

const inSeconds = ({ clock }: TriggerContext, seconds: number) =>
  new Date(clock.now().getTime() + seconds * 1_000).toISOString();
