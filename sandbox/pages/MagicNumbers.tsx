// The table of magic phone numbers, for which the simulator answers instead of a person.
import { showPhone } from '../../shared/phone.ts';

/** Texts about the magic phone numbers, by their nine digits. The simulator implements the behaviour. */
const MAGIC: Record<string, string> = {
  '900000000': 'Aprova ao fim de 1 segundo',
  '900000001': 'O cliente recusa',
  '900000002': 'Saldo insuficiente',
  '900000003': 'Ninguém responde: o tempo acaba',
  '900000004': 'O serviço está em baixo: fica a confirmar e depois falha',
  '900000005': 'Aprova ao fim de 10 segundos',
  '900000006': 'Aprova e notifica três vezes: é pago uma só vez',
  '900000007': 'Aprova, mas a notificação perde-se: a consulta descobre',
  '900000008': 'Não tem o Multicaixa Express activo',
};

/** The behaviour of a phone number. Null if a person answers pushes to it. */
export function magicOf(number: string): string | null {
  return MAGIC[number] ?? null;
}

/** The table of the magic phone numbers. */
export function MagicNumbers() {
  return (
    <table class="magic">
      <caption>Números de teste</caption>
      <thead>
        <tr>
          <th scope="col">Número</th>
          <th scope="col">O que acontece</th>
        </tr>
      </thead>
      <tbody>
        {Object.entries(MAGIC).map(([number, effect]) => (
          <tr>
            <th scope="row">
              <a href={`/sandbox/phone/${number}`}>{showPhone(number)}</a>
            </th>
            <td>{effect}</td>
          </tr>
        ))}
        <tr>
          <th scope="row">Qualquer outro</th>
          <td>Espera por si: aprove ou recuse no telemóvel de teste</td>
        </tr>
      </tbody>
    </table>
  );
}
