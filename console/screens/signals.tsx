// The switch of sound and vibration. It appears with JavaScript, which keeps the choice on this device.
import { textsOf, type FormPage } from '../parts.tsx';

export function Signals({ page }: { page: FormPage }) {
  return (
    <label class="check small unprinted" data-signals hidden>
      <input type="checkbox" />
      {textsOf(page)['charge.signals']}
    </label>
  );
}
