/** The entry of the bundle that talks to an Amplifier server, loaded with the first request. */
export { AmplifierBackend } from './amplifierBackend';
export { AmplifierClient } from './http/amplifierClient';
