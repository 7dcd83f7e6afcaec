import { answerScenarios } from './answerScenarios';
import { questionScenarios } from './questionScenarios';
import type { Scenario } from './scenario';
import { sessionScenarios } from './sessionScenarios';
import { turnScenarios } from './turnScenarios';

export const scenarios: readonly Scenario[] = [
  ...answerScenarios,
  ...questionScenarios,
  ...turnScenarios,
  ...sessionScenarios,
];
