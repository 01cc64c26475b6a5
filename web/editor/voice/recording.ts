/** In the order in which they are wished: what this server prepares best, and what Safari records. */
const types = ['audio/webm;codecs=opus', 'audio/mp4', ''];

/** A recording that is under way. */
export type Recording = {
  /** How loud it is at this moment, from 0 to 1. */
  level(): number;
  /** How long it is, without its pauses. */
  seconds(): number;
  pause(): void;
  resume(): void;
  /** Ends it, and releases the microphone. */
  stop(): void;
  /** What was recorded, once it has ended: also when the microphone is unplugged, or a call takes it. */
  recorded: Promise<Blob>;
};

/** Begins to record. Rejects with a DOMException where the microphone is not there or may not be used. */
export async function startRecording(): Promise<Recording> {
  const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
  const mimeType = types.find(type => MediaRecorder.isTypeSupported(type)) ?? '';
  const recorder = new MediaRecorder(stream, { mimeType, audioBitsPerSecond: 48_000 });
  const chunks: Blob[] = [];
  recorder.addEventListener('dataavailable', ({ data }) => chunks.push(data));
  const stopped = new Promise(resolve => {
    recorder.addEventListener('stop', resolve, { once: true });
  });

  const context = new AudioContext();
  const analyser = context.createAnalyser();
  context.createMediaStreamSource(stream).connect(analyser);
  const wave = new Float32Array(analyser.fftSize);

  let before = 0;
  let since: number | undefined = performance.now();
  const hold = () => {
    if (since !== undefined) before += performance.now() - since;
    since = undefined;
  };
  const release = () => {
    hold();
    if (recorder.state !== 'inactive') recorder.stop();
    for (const track of stream.getTracks()) track.stop();
    if (context.state !== 'closed') void context.close();
  };
  recorder.start(1_000);
  return {
    level: () => {
      if (since === undefined) return 0;
      analyser.getFloatTimeDomainData(wave);
      const power = wave.reduce((sum, value) => sum + value * value, 0) / wave.length;
      // A voice is far below the loudest there is.
      return Math.min(1, Math.sqrt(power) * 4);
    },
    seconds: () => (before + (since === undefined ? 0 : performance.now() - since)) / 1_000,
    pause: () => {
      if (recorder.state === 'recording') recorder.pause();
      hold();
    },
    resume: () => {
      if (recorder.state !== 'paused') return;
      recorder.resume();
      since = performance.now();
    },
    stop: release,
    recorded: stopped.then(() => {
      release();
      return new Blob(chunks, { type: recorder.mimeType });
    }),
  };
}

/** Minutes and seconds, as in 1:05. */
export function lengthOf(seconds: number): string {
  const whole = Math.floor(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`;
}

/** A recording as a file whose name tells its length. */
export function voiceFile(recorded: Blob, seconds: number): File {
  const ending = recorded.type.includes('mp4') ? 'm4a' : recorded.type.includes('ogg') ? 'ogg' : 'webm';
  const whole = Math.floor(seconds);
  const minutes = whole < 60 ? '' : `${Math.floor(whole / 60)} min `;
  const name = `Voice message (${minutes}${whole % 60} s).${ending}`;
  return new File([recorded], name, { type: recorded.type });
}
