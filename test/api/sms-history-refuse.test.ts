// What is refused of the history: filters, pages and days that cannot be, each by pointer and code, all at once.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../support/app.ts';
import { faultsOf } from '../support/ppr.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app?.stop());

/** Asks, and expects a 400 with exactly these faults of the query. */
async function expectFaults(path: string, query: string, faults: string[]): Promise<any> {
  const reply = await app.call(`/api/Envio/${path}?${query}`);
  expect([reply.status, faultsOf(reply)]).toEqual([400, faults.map((entry) => `/query/${entry}`)]);
  return reply.json;
}

describe('ListarSmsEnviadas', () => {
  test.each<[string, string[]]>([
    ['pageNumber=0', ['pageNumber too_small']],
    ['pageNumber=', ['pageNumber invalid_format']],
    ['pageSize=101', ['pageSize too_big']],
    ['pageSize=1.5', ['pageSize invalid_format']],
    ['pageSize=1&pageSize=2', ['pageSize invalid_type']],
    ['batchId=x', ['batchId invalid_format']],
    ['batchId=', ['batchId invalid_format']],
    ['batchId=%00', ['batchId invalid_text', 'batchId invalid_format']],
    ['estado=Sent', ['estado invalid_value']],
    ['estado=', ['estado invalid_value']],
    ['estado=Enviado&estado=Falhado', ['estado invalid_type']],
    ['numeroDestino=123', ['numeroDestino invalid_phone']],
    ['numeroDestino=%2B351923456789', ['numeroDestino invalid_phone']],
    ['numeroDestino=', ['numeroDestino invalid_phone']],
    [
      'numeroDestino=1&estado=x&batchId=x&pageSize=0&pageNumber=0',
      [
        'pageNumber too_small',
        'pageSize too_small',
        'batchId invalid_format',
        'estado invalid_value',
        'numeroDestino invalid_phone',
      ],
    ],
  ])('%s', async (query, faults) => {
    await expectFaults('ListarSmsEnviadas', query, faults);
  });
});

describe('PesquisarSMSEnviados', () => {
  test.each<[string, string[]]>([
    ['', ['dia required', 'mes required', 'ano required']],
    ['dia=1&mes=3', ['ano required']],
    ['dia=31&mes=2&ano=2026', ['dia impossible_date']],
    ['dia=29&mes=2&ano=2027', ['dia impossible_date']],
    ['dia=31&mes=11&ano=2026', ['dia impossible_date']],
    ['dia=0&mes=0&ano=0', ['dia too_small', 'mes too_small', 'ano invalid_format']],
    ['dia=32&mes=13&ano=2200', ['dia too_big', 'mes too_big', 'ano too_big']],
    ['dia=1&mes=1&ano=1999', ['ano too_small']],
    ['dia=um&mes=1.0&ano=MMXXVI', ['dia invalid_format', 'mes invalid_format', 'ano invalid_format']],
    ['dia=1&dia=2&mes=1&ano=2026', ['dia invalid_type']],
    ['dia=31&mes=2&ano=2026&pageSize=999', ['pageSize too_big', 'dia impossible_date']],
  ])('%s', async (query, faults) => {
    await expectFaults('PesquisarSMSEnviados', query, faults);
  });
});

describe('pesquisarEnviosPorIntervaloDeDatas', () => {
  const PATH = 'pesquisarEnviosPorIntervaloDeDatas';

  /** `1/3/2026` and `2/3/2026` as the six parameters. */
  function between(first: string, last: string): string {
    const part = (text: string, end: string) =>
      text.split('/').map((value, nth) => `${['dia', 'mes', 'ano'][nth]}${end}=${value}`);
    return [...part(first, 'Inicio'), ...part(last, 'Fim')].join('&');
  }

  test.each<[string, string, string[]]>([
    ['2/3/2026', '1/3/2026', ['diaFim range_reversed']],
    ['1/1/2027', '31/12/2026', ['diaFim range_reversed']],
    ['1/3/2026', '2/3/2027', ['diaFim range_too_long']],
    ['29/2/2028', '1/3/2029', ['diaFim range_too_long']],
    ['31/2/2026', '1/3/2026', ['diaInicio impossible_date']],
    ['1/3/2026', '31/4/2026', ['diaFim impossible_date']],
    ['30/2/2026', '29/2/2026', ['diaInicio impossible_date', 'diaFim impossible_date']],
    ['0/3/2026', '31/4/2026', ['diaInicio too_small', 'diaFim impossible_date']],
  ])('from %s to %s', async (first, last, faults) => {
    await expectFaults(PATH, between(first, last), faults);
  });

  test('without any, and with pages that cannot be', async () => {
    const names = ['diaInicio', 'mesInicio', 'anoInicio', 'diaFim', 'mesFim', 'anoFim'];
    await expectFaults(PATH, 'pageNumber=0', [...names.map((name) => `${name} required`), 'pageNumber too_small']);
    const query = `${between('2/3/2026', '1/3/2026')}&pageNumber=x`;
    await expectFaults(PATH, query, ['pageNumber invalid_format', 'diaFim range_reversed']);
  });

  test.each([
    ['2/3/2026', '1/3/2026', 'must not be before the first day'],
    ['1/3/2026', '2/3/2027', 'must be at most one year after the first day'],
  ])('from %s to %s: %s', async (first, last, message) => {
    const { errors } = (await app.call(`/api/Envio/${PATH}?${between(first, last)}`)).json;
    expect(errors[0].message).toBe(message);
  });

  test('the same day a year after is none too many', async () => {
    expect((await app.call(`/api/Envio/${PATH}?${between('1/3/2026', '1/3/2027')}`)).status).toBe(200);
  });
});
