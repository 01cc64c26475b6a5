const pauseMs = 5_000;

/** Loads a script that a page must not be without: again and again if the connection is lost meanwhile. */
export async function untilLoaded<Module>(load: () => Promise<Module>): Promise<Module> {
  for (;;) {
    try {
      return await load();
    } catch {
      await new Promise(resolve => setTimeout(resolve, pauseMs));
    }
  }
}
