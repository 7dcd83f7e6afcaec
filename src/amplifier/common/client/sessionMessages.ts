import { promptAgainAdvice } from '../api/apiErrors';

const nextPrompt = 'Your next prompt continues in a new session.';
const endedToStop =
  'This server can’t stop a single turn, so the session was ended. The agent no longer remembers the conversation';
const approvalsDenied = 'While this window is open, its requests for approval are denied.';

export const sessionMessages = {
  closed: `This session has ended. ${promptAgainAdvice}`,
  failed: `The session failed on the server. ${promptAgainAdvice}`,
  restarted:
    'The server no longer has this session. It was restarted, or the session was ended elsewhere. ' + promptAgainAdvice,
  notStopped: 'The server could not be reached to stop the turn. It may still be working.',
  sessionEnded: `${endedToStop}. ${nextPrompt}`,
  goesOn: `${endedToStop} and may continue with actions that need no approval. ${approvalsDenied} ${nextPrompt}`,
  left:
    `Backline stopped following this turn while the agent was working. The server was asked to stop it. ${approvalsDenied} ` +
    'If the server cannot stop turns, the agent may continue. Check what it did.',
  unclear:
    'The agent is waiting for an approval that the server does not describe, so it cannot be denied. The turn is being ' +
    'stopped. The server may still run the action when the approval times out. Check what the agent did.',
} as const;
