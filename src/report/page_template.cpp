#include "report/page_template.h"

// The assembler copies the file as it is: a string literal of its size takes seconds to compile.
#ifdef ASSAY_PAGE_FILE
#if defined(__APPLE__)  // Mach-O: other sections, names with an underscore
#define ASSAY_SECTION ".section __TEXT,__const\n"
#define ASSAY_SECTION_END ".text\n"
#define ASSAY_LOCAL ".private_extern "
#define ASSAY_NAME(name) "_" name
#else
#define ASSAY_SECTION ".pushsection .rodata\n"
#define ASSAY_SECTION_END ".popsection\n"
#define ASSAY_LOCAL ".hidden "
#define ASSAY_NAME(name) name
#endif
__asm__(ASSAY_SECTION                                          //
        ASSAY_LOCAL ASSAY_NAME("assay_page_begin") "\n"        //
        ASSAY_LOCAL ASSAY_NAME("assay_page_end") "\n"          //
        ".global " ASSAY_NAME("assay_page_begin") "\n"         //
        ".global " ASSAY_NAME("assay_page_end") "\n"           //
        ASSAY_NAME("assay_page_begin") ":\n"                   //
        ".incbin \"" ASSAY_PAGE_FILE "\"\n"                    //
        ASSAY_NAME("assay_page_end") ":\n"                     //
        ".byte 0\n"                                            //
        ASSAY_SECTION_END);
extern "C" const char assay_page_begin[];
extern "C" const char assay_page_end[];
#endif

namespace assay {

std::string_view page_template() {
#ifdef ASSAY_PAGE_FILE
  return {assay_page_begin, assay_page_end};
#else
  return {};
#endif
}

}  // namespace assay
