/** Pauses between attempts in ms: short after a lost connection, long if the script is gone. */
const pauseMs = { first: 5_000, last: 300_000 };

/** Loads a script that a page must not be without: again and again if the connection is lost meanwhile. */
export async function untilLoaded<Module>(load: () => Promise<Module>): Promise<Module> {
  for (let pause = pauseMs.first; ; pause = Math.min(2 * pause, pauseMs.last)) {
    try {
      return await load();
    } catch {
      await new Promise(resolve => setTimeout(resolve, pause));
    }
  }
}
