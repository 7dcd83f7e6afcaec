import type { SessionConfigOption, SessionModeState } from '@agentclientprotocol/sdk';
import { demoModes, demoSpeeds, type DemoSession } from './sessions';

/** Returns the session's settings as config options; booleans only for clients that support them. */
export function configOptionsOf(session: DemoSession, supportsBooleans: boolean): SessionConfigOption[] {
  const options: SessionConfigOption[] = [
    {
      type: 'select',
      id: 'mode',
      name: 'Mode',
      category: 'mode',
      currentValue: session.mode,
      options: demoModes.map(({ id, name, description }) => ({ value: id, name, description })),
    },
    {
      type: 'select',
      id: 'pace',
      name: 'Pace',
      description: 'How fast answers appear',
      currentValue: session.pace,
      options: demoSpeeds.map(({ value, name, description }) => ({ value, name, description })),
    },
  ];
  if (supportsBooleans) {
    const description = 'Explain how each prompt was understood';
    options.push({ type: 'boolean', id: 'verbose', name: 'Verbose', description, currentValue: session.isVerbose });
  }
  return options;
}

/** Returns the mode, for clients that support modes but not config options. */
export function modeStateOf(session: DemoSession): SessionModeState {
  return { currentModeId: session.mode, availableModes: demoModes.map((mode) => ({ ...mode })) };
}

export function setConfigOption(session: DemoSession, id: string, value: string | boolean): boolean {
  const mode = demoModes.find((candidate) => candidate.id === value);
  const pace = demoSpeeds.find((candidate) => candidate.value === value);
  if (id === 'mode' && mode) {
    session.mode = mode.id;
    // Lasting answers apply only in the mode in which they were given.
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
