import { defineConfig } from "vitest/config";

export default defineConfig({ test: { globalSetup: "fakeplat/global-setup", include: ["*.test.ts"] } });
