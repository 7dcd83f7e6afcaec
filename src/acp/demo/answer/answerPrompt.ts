import { answerComments } from '../skills/answerComments';
import { recognizeIntent } from './intent';
import { showFileReadByEditor, renameEverywhere } from '../skills/editorSkills';
import { renameInFile, sortFileImports } from '../skills/editSkills';
import { failOnPurpose } from '../skills/failOnPurpose';
import { findUses } from '../skills/findUses';
import { explainUnknownPrompt, introduceAgent } from '../skills/introduceAgent';
import { runShell, writeFileOnDisk } from '../skills/ownSkills';
import { quoteAttachedTexts } from '../skills/quoteAttachedTexts';
import { reviewChanges } from '../skills/reviewChanges';
import { runCommand } from '../skills/runCommand';
import { showPlan, streamWordsSlowly } from '../skills/showSkills';
import { summarizeFiles } from '../skills/summarizeFiles';
import type { Turn } from './turn';

/** Answers a prompt: quotes the attached texts and performs the requested action. @throws TurnCancelled, RpcError */
export async function answerPrompt(turn: Turn): Promise<void> {
  const intent = recognizeIntent(turn.prompt);
  if (turn.isVerbose) await turn.think(`Matching rule: ${intent.kind}.`);
  if (intent.kind !== 'comments') await quoteAttachedTexts(turn);
  switch (intent.kind) {
    case 'quote':
      return;
    case 'comments':
      return answerComments(turn);
    case 'review':
      return reviewChanges(turn);
    case 'help':
      return introduceAgent(turn);
    case 'summarize':
      return summarizeFiles(turn, intent.paths);
    case 'rename':
      return renameInFile(turn, intent.from, intent.to, intent.path);
    case 'renameEverywhere':
      return renameEverywhere(turn, intent.from, intent.to, intent.path);
    case 'read':
      return showFileReadByEditor(turn, intent.path);
    case 'sort':
      return sortFileImports(turn, intent.path);
    case 'uses':
      return findUses(turn, intent.symbol, intent.path);
    case 'run':
      return runCommand(turn, intent.line);
    case 'shell':
      return runShell(turn, intent.command);
    case 'write':
      return writeFileOnDisk(turn, intent.text, intent.path);
    case 'slow':
      return streamWordsSlowly(turn, intent.words, turn.prompt.saidWordCount);
    case 'plan':
      return showPlan(turn);
    case 'fail':
      return failOnPurpose(turn, intent.how);
    case 'unknown':
      return explainUnknownPrompt(turn);
  }
}
