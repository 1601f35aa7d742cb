// SPDX-License-Identifier: Apache-2.0
// FreeRTOS: two tasks share a mutex with priority inheritance. The low one holds it for a millisecond
// at a time. The high one takes it every other tick, and at once when strike 0 comes: it may have to
// wait for the low one, which then inherits its priority. Pin 0 is high while the low one is inside,
// pin 1 while the high one is.
#include "rtos.h"

#include "semphr.h"

enum { ISR_EXTERNAL = 0, TASK_LOW = 1, TASK_HIGH = 2, CALL_LOW = 0, CALL_HIGH = 1 };
PLEXOR_ISR_NAME(0, "external");
PLEXOR_TASK_NAME(1, "low");
PLEXOR_TASK_NAME(2, "high");
PLEXOR_FUNCTION_NAME(0, "low-inside");
PLEXOR_FUNCTION_NAME(1, "high-inside");

enum { PIN_LOW = 1, PIN_HIGH = 2, LOW_CYCLES = configCPU_CLOCK_HZ / 1000, HIGH_CYCLES = 5000 };

static TaskHandle_t high;
static SemaphoreHandle_t mutex;

void freertos_risc_v_application_interrupt_handler(void) {
  PLEXOR_ISR_ENTER(ISR_EXTERNAL);
  BaseType_t woken = pdFALSE;
  STRIKE = IRQ_STRIKES;
  vTaskNotifyGiveFromISR(high, &woken);
  PLEXOR_ISR_EXIT(ISR_EXTERNAL);
  portYIELD_FROM_ISR(woken);
}

static void run_low(void *parameter) {
  (void)parameter;
  READY = 0;
  for (uint32_t rounds = 0;; rounds++) {
    PLEXOR_VALUE(rounds);
    xSemaphoreTake(mutex, portMAX_DELAY);
    PLEXOR_ENTER(CALL_LOW);
    OUT_SET = PIN_LOW;
    work_cycles(LOW_CYCLES);
    OUT_CLR = PIN_LOW;
    PLEXOR_EXIT(CALL_LOW);
    xSemaphoreGive(mutex);
    vTaskDelay(2);
  }
}

static void run_high(void *parameter) {
  (void)parameter;
  for (;;) {
    ulTaskNotifyTake(pdTRUE, 2);
    xSemaphoreTake(mutex, portMAX_DELAY);
    PLEXOR_ENTER(CALL_HIGH);
    OUT_SET = PIN_HIGH;
    work_cycles(HIGH_CYCLES);
    OUT_CLR = PIN_HIGH;
    PLEXOR_EXIT(CALL_HIGH);
    xSemaphoreGive(mutex);
  }
}

int main(void) {
  static Task low_task, high_task;
  static StaticSemaphore_t block;
  take_traps();
  CSR_WRITE(IRQ_MASK, 1);
  mutex = xSemaphoreCreateMutexStatic(&block);
  start(&low_task, run_low, 0, 1, TASK_LOW);
  high = start(&high_task, run_high, 0, 2, TASK_HIGH);
  vTaskStartScheduler();
  return 0;
}
