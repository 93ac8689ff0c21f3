// The other tabs of this browser.

/** Told whenever another user is signed in, or none: each tab then asks the service who it is. "left": the person signed out. */
export const tabs = new BroadcastChannel("tilth-session");
