import { VERBATIM, type Scene } from './scene.ts';

export function Receipt({ scene }: { scene: Scene }) {
  return (
    <dl class="rows">
      {scene.screen.value.rows.map(([label, value]) => (
        <div>
          <dt>{label}</dt>
          <dd {...VERBATIM}>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
