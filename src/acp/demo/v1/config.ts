import type { SessionConfigOption, SessionModeState } from '@agentclientprotocol/sdk';
import { modes, paces, type DemoSession } from './sessions';

/** The session's settings as config options; booleans only for clients that support them. */
export function configOptionsOf(session: DemoSession, supportsBooleans: boolean): SessionConfigOption[] {
  const options: SessionConfigOption[] = [
    {
      type: 'select',
      id: 'mode',
      name: 'Mode',
      category: 'mode',
      currentValue: session.mode,
      options: modes.map(({ id, name, description }) => ({ value: id, name, description })),
    },
    {
      type: 'select',
      id: 'pace',
      name: 'Pace',
      description: 'How fast answers come',
      currentValue: session.pace,
      options: paces.map(({ value, name, description }) => ({ value, name, description })),
    },
  ];
  if (supportsBooleans) {
    const description = 'Say by which rule a prompt was understood';
    options.push({ type: 'boolean', id: 'verbose', name: 'Verbose', description, currentValue: session.isVerbose });
  }
  return options;
}

/** The mode, for clients that support modes but not config options. */
export function modeStateOf(session: DemoSession): SessionModeState {
  return { currentModeId: session.mode, availableModes: modes.map((mode) => ({ ...mode })) };
}

export function setConfigOption(session: DemoSession, id: string, value: string | boolean): boolean {
  const mode = modes.find((candidate) => candidate.id === value);
  const pace = paces.find((candidate) => candidate.value === value);
  if (id === 'mode' && mode) {
    session.mode = mode.id;
    // Lasting answers apply only to the mode they were given in.
    session.editRule = 'ask';
  } else if (id === 'pace' && pace) {
    session.pace = pace.value;
  } else if (id === 'verbose' && typeof value === 'boolean') {
    session.isVerbose = value;
  } else {
    return false;
  }
  return true;
}
