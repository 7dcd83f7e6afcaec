import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  nextGenerations,
  type GenerationInput,
  type Generations,
} from '../../../../../src/session/common/generations/backendGenerations';

describe('the backends of one agent', () => {
  it('are one for new work, and each earlier one is retired, stopped and disposed once, whatever happens', () => {
    const settings = fc.constantFrom('a', 'b', 'c');
    const any = fc.nat(8);
    const input = fc.oneof(
      fc.record({ type: fc.constant('opened' as const), settings }),
      fc.record({ type: fc.constant('settings' as const), settings, isWorking: fc.boolean() }),
      fc.record({ type: fc.constantFrom('drained' as const, 'stopped' as const), of: any }),
      fc.record({ type: fc.constantFrom('forbidden' as const, 'restart' as const) }),
    );
    fc.assert(
      fc.property(fc.array(input, { maxLength: 30 }), (inputs) => {
        let generations: Generations<number> = [];
        let last = 0;
        const performed: string[] = [];
        for (const each of inputs) {
          const before = generations;
          const given: GenerationInput<number> =
            each.type === 'opened'
              ? { ...each, backend: ++last }
              : 'of' in each
                ? { type: each.type, backend: each.of }
                : each;
          const { effects, generations: next } = nextGenerations(before, given);
          generations = next;
          for (const effect of effects)
            performed.push('backend' in effect ? `${effect.type} ${effect.backend}` : 'tell');
          const kinds = (kind: string) => generations.filter((it) => it.kind === kind).length;
          assert.ok(kinds('current') <= 1);
          const [current] = generations.filter((it) => it.kind === 'current');
          if (each.type === 'opened' || each.type === 'settings')
            assert.ok((current?.settings ?? each.settings) === each.settings);
          if (each.type === 'forbidden') assert.ok(generations.every(({ kind }) => kind === 'stopping'));
          if (each.type === 'restart') assert.equal(kinds('retiring'), 0);
          const isTold = effects.some(({ type }) => type === 'tell');
          if (isTold) assert.ok(!before.some(({ kind }) => kind === 'retiring'), 'told once for several changes');
        }
        const acts = performed.filter((act) => act !== 'tell');
        assert.equal(new Set(acts).size, acts.length, 'nothing is done twice');
        for (let backend = 1; backend <= last; backend++) {
          const ofIt = acts.filter((act) => act.endsWith(` ${backend}`)).map((act) => act.split(' ')[0]);
          assert.ok(
            ['retire stop dispose', 'stop dispose'].some(
              (order) => order.endsWith(ofIt.join(' ')) || order.startsWith(ofIt.join(' ')),
            ),
          );
          assert.ok(generations.some((it) => it.backend === backend) || ofIt.includes('dispose'), 'none is forgotten');
        }
      }),
    );
  });
});
