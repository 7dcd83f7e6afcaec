import assert from 'node:assert/strict';
import { reducePool } from '../../../../src/context/common/workers/poolReducer';
import {
  emptyPool,
  type PoolEffect,
  type PoolEvent,
  type PoolState,
} from '../../../../src/context/common/workers/poolState';

/** Carries out effects as the pool does, and remembers what became of each question. */
export class PoolModel {
  state: PoolState = emptyPool;
  readonly running = new Map<number, { readonly isShared: boolean }>();
  readonly outcomes = new Map<number, string[]>();
  /** Where each question was sent, in order. */
  readonly sent: { readonly question: number; readonly provider: number; readonly worker: number }[] = [];
  /** Providers that a worker's end was blamed on. */
  readonly blamed = new Set<number>();
  private lastQuestion = 0;

  ask(provider: number, isOwnWorkerRequired = false): number {
    const question = ++this.lastQuestion;
    this.outcomes.set(question, []);
    this.apply({ kind: 'asked', question, provider, isOwnWorkerRequired });
    return question;
  }

  /** @returns the questions to ask again, by provider */
  apply(event: PoolEvent): number[] {
    const before = this.state;
    const { state, effects } = reducePool(before, event);
    this.state = state;
    for (const [provider, reason] of state.ownWorkerReasons)
      if (reason !== 'required' && reason !== 'unloadable') this.blamed.add(provider);
    if (event.kind === 'answered')
      for (const question of event.questions) if (before.questions.has(question)) this.end(question, 'answered');
    if (event.kind === 'cancelled' && before.questions.has(event.question) && !state.questions.has(event.question))
      this.end(event.question, 'cancelled');
    return effects.flatMap((effect) => this.perform(effect, before));
  }

  get open(): number[] {
    return [...this.state.questions.keys()];
  }

  activeIn(worker: number): number[] {
    return [...this.state.questions].filter(([, question]) => question.worker === worker).map(([id]) => id);
  }

  private end(question: number, outcome: string): void {
    this.outcomes.get(question)?.push(outcome);
  }

  private perform(effect: PoolEffect, before: PoolState): number[] {
    switch (effect.kind) {
      case 'start':
        assert.ok(!this.running.has(effect.worker), 'a worker starts once');
        this.running.set(effect.worker, { isShared: effect.isShared });
        return [];
      case 'send': {
        const { provider = 0 } =
          this.state.questions.get(effect.question) ?? before.questions.get(effect.question) ?? {};
        assert.ok(this.running.has(effect.worker), 'only running workers are asked');
        this.sent.push({ question: effect.question, provider, worker: effect.worker });
        return [];
      }
      case 'end':
        assert.ok(this.running.delete(effect.worker), 'only running workers end');
        return [];
      case 'fail':
        this.end(effect.question, 'failed');
        return [];
      case 'askAgain': {
        this.end(effect.question, 'askedAgain');
        const provider = before.questions.get(effect.question)?.provider;
        return provider === undefined ? [] : [provider];
      }
    }
  }
}
