/** In order of preference: what this server prepares best, and what Safari records. */
const types = ['audio/webm;codecs=opus', 'audio/mp4', ''];

export type Recording = {
  /** The current level, from 0 to 1. */
  level(): number;
  /** Its length without pauses. */
  seconds(): number;
  pause(): void;
  resume(): void;
  /** Ends it, and releases the microphone. */
  stop(): void;
  /** The recorded bytes, once it has ended: also when the microphone is unplugged, or a call takes it. */
  recorded: Promise<Blob>;
};

/** Begins to record. Rejects with a DOMException if the microphone is missing or not allowed. */
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
      // A voice is far below the maximum.
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

/** A recording as a file whose name has its length. */
export function voiceFile(recorded: Blob, seconds: number): File {
  const ending = recorded.type.includes('mp4') ? 'm4a' : recorded.type.includes('ogg') ? 'ogg' : 'webm';
  const whole = Math.floor(seconds);
  const minutes = whole < 60 ? '' : `${Math.floor(whole / 60)} min `;
  const name = `Voice message (${minutes}${whole % 60} s).${ending}`;
  return new File([recorded], name, { type: recorded.type });
}
