import { expect, test } from 'vitest';
import { readWish } from '../../../server/sms/receive.ts';

test.each([
  'PARAR',
  'parar',
  'Parar!',
  'Parar, por favor',
  'Pare de mandar isto',
  'STOP',
  'stop.',
  ' «Stop» ',
  'ＰＡＲＡＲ',
  'Para!',
  'Pára',
  'sair',
  'Cancelar.',
  'STOP 2026',
])('readWish reads the SMS reply %j as stop', (text) => {
  expect(readWish(text)).toBe('stop');
});

test.each(['INICIAR', 'Iniciar!', 'start', 'Voltar'])('readWish reads the SMS reply %j as start', (text) => {
  expect(readWish(text)).toBe('start');
});

test.each([
  '',
  '?!',
  'Obrigado',
  'Não quero parar',
  'Parabéns!',
  'Para amanhã, pode ser?',
  'Cancelar encomenda 5',
  'Sair daqui a pouco',
  'Voltar a ligar, por favor',
  'Start amanhã',
  'stopp',
])('readWish returns null for the SMS reply %j', (text) => {
  expect(readWish(text)).toBe(null);
});
