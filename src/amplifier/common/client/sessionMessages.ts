import { promptAgain } from '../api/apiErrors';

const nextPrompt = 'Your next prompt continues in a new session.';

/** What the user is told when a session or a turn ends in another way than by its answer. */
export const sessionMessages = {
  closed: `This session has ended. ${promptAgain}`,
  failed: `The session failed on the server. ${promptAgain}`,
  restarted:
    'The server no longer has this session. It was restarted, or the session was ended elsewhere. ' + promptAgain,
  notStopped: 'The server could not be reached to stop the turn. It may still be working.',
  sessionEnded: `This server cannot stop a single turn: the session was ended, and the agent forgets it. ${nextPrompt}`,
  goesOn:
    'This server cannot stop a turn: the session ends here, and the agent forgets it. What it still asks for is denied ' +
    `until it has finished, for as long as this window is open; the rest it may do. ${nextPrompt}`,
  left:
    'The turn was left while the agent was working. The server is asked to stop it, and what it asks for is denied for as ' +
    'long as this window is open. A server that cannot stop a turn may go on with it: look at what the agent did.',
  unclear:
    'The agent waits for an approval, and the server does not say what for: the turn is stopped, because nothing can be ' +
    'sent to deny it. Look at what the agent did: the server may run it when its time is up.',
} as const;
