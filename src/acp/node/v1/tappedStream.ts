import type { MessageStream } from '../../../wire/common/messageStream';
import { TrafficRecorder, type RecorderOptions } from '../trafficRecorder';

/** The same stream, whose messages the tap hears of: name, size and time, never what is in them. Owns what it wraps. */
export function tapStream(stream: MessageStream, options: RecorderOptions): MessageStream {
  const recorder = new TrafficRecorder(options);
  return {
    onNoise: stream.onNoise,
    onDidClose: stream.onDidClose,
    onMessage: (listener) =>
      stream.onMessage((message) => {
        recorder.inbound(message);
        listener(message);
      }),
    send: (message) => {
      recorder.outbound({ ...message });
      return stream.send(message);
    },
    dispose: () => stream.dispose(),
  };
}
