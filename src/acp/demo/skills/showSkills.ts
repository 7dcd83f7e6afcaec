import type { Turn } from '../answer/turn';
import type { PlanStep } from '../session/history';

const sentenceWords =
  'This answer comes one word at a time, so that you can see it grow and stop it whenever you like.'.split(' ');

const slowWordMs = 60;

/** Sends one word at a time, slowly enough to press Stop or to add a prompt, which ends the words. */
export async function streamWordsSlowly(turn: Turn, words: number, saidWords = 0): Promise<void> {
  for (let index = saidWords; index < words; index++) {
    await turn.sleep(Math.max(0, slowWordMs - turn.paceMs));
    if (turn.hasAddedPrompt) return;
    await turn.say(`${sentenceWords[index % sentenceWords.length] ?? ''} `);
  }
  await turn.say(`\n\nSaid ${words} words.\n`);
}

const planSteps: readonly Pick<PlanStep, 'content' | 'priority'>[] = [
  { content: 'Show this plan', priority: 'high' },
  { content: 'Check off the steps one by one', priority: 'medium' },
  { content: 'Report that everything is done', priority: 'low' },
];

/** Shows a plan and completes its entries one by one. Each update contains the whole plan. */
export async function showPlan(turn: Turn): Promise<void> {
  for (let current = 0; current <= planSteps.length; current++) {
    await turn.plan(
      planSteps.map((step, index) => ({
        ...step,
        status: index < current ? 'completed' : index === current ? 'in_progress' : 'pending',
      })),
    );
    await turn.sleep(turn.paceMs);
  }
  await turn.say('All steps of the plan are done.\n');
}
