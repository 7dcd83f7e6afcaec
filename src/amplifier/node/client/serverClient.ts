/** Entry point of the client bundle. It is loaded with the first request to an Amplifier server. */
export { AmplifierBackend } from './amplifierBackend';
export { AmplifierClient } from './http/amplifierClient';
