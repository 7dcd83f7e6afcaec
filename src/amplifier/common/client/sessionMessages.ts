import { promptAgainAdvice } from '../api/apiErrors';

const nextPrompt = 'Your next prompt continues in a new session.';

export const sessionMessages = {
  closed: `This session has ended. ${promptAgainAdvice}`,
  failed: `The session failed on the server. ${promptAgainAdvice}`,
  restarted:
    'The server no longer has this session. It was restarted, or the session was ended elsewhere. ' + promptAgainAdvice,
  notStopped: 'The server could not be reached to stop the turn. It may still be working.',
  sessionEnded: `This server cannot stop a single turn, so the session was ended. The agent does not remember it. ${nextPrompt}`,
  goesOn:
    'This server can’t stop a turn, so the session was ended. The agent may continue with actions that need no approval. Its ' +
    `requests for approval are denied while this window is open. ${nextPrompt}`,
  left:
    'You left the turn while the agent was working. The server was asked to stop it. While this window is open, its ' +
    'requests for approval are denied. If the server cannot stop turns, the agent may continue. Check what it did.',
  unclear:
    'The agent is waiting for an approval that the server does not describe, so it cannot be denied. The turn is being ' +
    'stopped. Check what the agent did. The server may run it when the approval times out.',
} as const;
